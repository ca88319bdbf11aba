"""Passes: each looks at a program and names cuts, in the order in which they are worth trying."""
