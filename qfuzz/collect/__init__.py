"""Asking for replies: the prompts of each contract, the program that is asked, clean-up, and the files they go to."""
