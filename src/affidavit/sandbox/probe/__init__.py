"""The program that is run inside a sandbox to try what it holds. It imports nothing of the package around it."""
