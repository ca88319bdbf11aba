"""Programs that boundaries put beside a reply, to stand between it and the program that people would use."""
