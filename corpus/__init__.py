"""Data only: public tasks and replies. Imported as `qfuzz_corpus`, to find the files in a wheel as in a checkout."""
