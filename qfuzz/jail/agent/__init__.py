"""What runs inside a jail beside the replies. Standard library only, Python 3.9 or newer, relative imports only.

The package is shipped into the jail as a zip file and runs there under whatever interpreter the jail can reach.
"""
