"""Making a failing reply small: pure. The reducer takes a predicate, and executes nothing itself."""
