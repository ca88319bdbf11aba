"""`python -m qfuzz` is the same as `qfuzz`."""

from qfuzz.cli.main import main

if __name__ == "__main__":
    main()
