"""affidavit: what exactly ran, under which rules, and can you prove it?"""

__version__ = "0.1.0"
