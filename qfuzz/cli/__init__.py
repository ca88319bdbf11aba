"""The command line, one file a command. Thin: options in, events out."""
