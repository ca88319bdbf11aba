"""The SQLite store: what is kept, under which key, and how an old file is brought up to date."""
