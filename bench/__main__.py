"""`python -m bench [NAME...]`: runs the benches, prints one table, and writes bench/results.json.

Each module beside this one that has a function `rows() -> list[Row]` is a bench.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys

from affidavit.canon.jcs import canonical

from .frame import Row, table

HERE = os.path.dirname(os.path.abspath(__file__))
_FRAME = ("__init__", "__main__", "frame", "peers")


def names() -> list[str]:
    return sorted(name[:-3] for name in os.listdir(HERE) if name.endswith(".py") and name[:-3] not in _FRAME)


def main(wanted: list[str]) -> int:
    unknown = sorted(set(wanted) - set(names()))
    if unknown:
        print(f"no such bench: {', '.join(unknown)}; there are {', '.join(names())}", file=sys.stderr)
        return 2
    found: list[Row] = []
    for name in wanted or names():
        module = importlib.import_module(f"bench.{name}")
        if not hasattr(module, "rows"):
            continue
        rows: list[Row] = module.rows()
        print(f"\n{name}: {(module.__doc__ or '').splitlines()[0]}\n{table(rows)}", flush=True)
        found += rows
    results = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "rows": [row.as_json() for row in found],
    }
    with open(os.path.join(HERE, "results.json"), "wb") as file:
        file.write(canonical(results) + b"\n")
    missed = [row.name for row in found if row.reached is False]
    print(f"\n{len(found)} figures, {len(missed)} not reached{': ' + ', '.join(missed) if missed else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
