"""Where replies run: a pool of warm jails, each with one agent inside, and nothing that trusts what comes out."""
