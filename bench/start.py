"""How long the command takes to start, from an installed wheel, as a ratio to `python -c pass` there."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from affidavit.canon.jcs import canonical
from affidavit.contracts.runner import EXAMPLE
from tests.support.pack_files import seven_members, write_directory

from .frame import Row, environment, process_medians

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@contextmanager
def installed() -> Iterator[str]:
    """The bin directory of a fresh virtual environment that has the wheel, compiled, and nothing else."""
    with tempfile.TemporaryDirectory() as place:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", place, ROOT], check=True)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", f"{place}/venv"], check=True)
        (wheel,) = [name for name in os.listdir(place) if name.endswith(".whl")]
        subprocess.run(
            [*pip, "--python", f"{place}/venv/bin/python", "install", "--compile", f"{place}/{wheel}"], check=True
        )
        yield f"{place}/venv/bin"


def rows() -> list[Row]:
    with installed() as where:
        record = os.path.join(os.path.dirname(where), "runner.json")
        with open(record, "wb") as file:
            file.write(canonical(EXAMPLE))
        pack = write_directory(os.path.join(os.path.dirname(where), "pack"), seven_members())
        commands = {
            "python -c pass": [f"{where}/python", "-c", "pass"],
            "affidavit --version": [f"{where}/affidavit", "--version"],
            "affidavit runner-verify": [f"{where}/affidavit", "runner-verify", record],
            "affidavit pack-verify, seven members": [f"{where}/affidavit", "pack-verify", pack],
        }
        took = process_medians(commands, rounds=41, env=environment())
    bare = took.pop("python -c pass")
    control = f"python -c pass {bare * 1e3:.1f} ms"
    return [
        Row(name, seconds / bare, "x bare", at_most=3.25 if "pack" in name else 2.5, control=control)
        for name, seconds in took.items()
    ]
