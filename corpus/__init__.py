"""Data only: public tasks and recorded replies. Found through `importlib.resources.files("qfuzz_corpus")`."""
