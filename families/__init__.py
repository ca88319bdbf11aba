"""The fourteen task families, one file each."""
