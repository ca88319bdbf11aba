"""A run as a generator of typed events: what to execute, in which order, what to confirm."""
