"""Writes the conformance vectors: `make vectors`, or `generate.py DIRECTORY` for another place.

Each document's scenarios stand in make_<document>.py beside this.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main(directory: str) -> None:
    sys.path.insert(0, os.path.dirname(os.path.dirname(HERE)))
    from tests.support import vectors

    vectors.DIRECTORY = directory
    for name in sorted(os.listdir(HERE)):
        if name.startswith("make_") and name.endswith(".py"):
            document = name[len("make_") : -len(".py")]
            shutil.rmtree(os.path.join(directory, document), ignore_errors=True)
            importlib.import_module(f"tests.vectors.{name[:-3]}").main()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else HERE)
