"""Judge and compare: pure functions of task and observation. Nothing here starts a process."""
