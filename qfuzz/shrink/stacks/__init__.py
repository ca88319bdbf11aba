"""The ways in which programs spell a literal text: one layer after another, each decoded and spelled again."""
