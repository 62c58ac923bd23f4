"""From an intent to a committed run: what was asked, what was decided, what was done, and the evidence."""
