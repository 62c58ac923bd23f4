"""Writes the conformance vectors: `make vectors`. Each document's scenarios stand in make_<document>.py beside this."""

from __future__ import annotations

import importlib
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> None:
    sys.path.insert(0, os.path.dirname(os.path.dirname(HERE)))
    for name in sorted(os.listdir(HERE)):
        if name.startswith("make_") and name.endswith(".py"):
            document = name[len("make_") : -len(".py")]
            shutil.rmtree(os.path.join(HERE, document), ignore_errors=True)
            importlib.import_module(f"tests.vectors.{name[:-3]}").main()


if __name__ == "__main__":
    main()
