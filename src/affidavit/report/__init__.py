"""One page about a run, a pack, an engine bundle or a plan run: for people who want to see what happened."""
