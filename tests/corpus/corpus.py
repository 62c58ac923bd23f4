"""Small programs, each with one known source of nondeterminism or none, and what a replay must say of each.

A program's head states it: `plain` is the verdict of one replay under the same conditions, `vary` that of a replay
under others, each with the causes that must be named. `python -m tests.corpus.corpus [TIMES]` tries them all.
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import TYPE_CHECKING, Any

from affidavit.canon.jcs import canonical
from affidavit.engine.run import run_engine
from affidavit.engine.sealing import Sealed
from affidavit.replay.conditions import VARIATIONS
from affidavit.replay.engine import replay_engine
from tests.support.engine_folders import INPUT, engine_folder, write
from tests.support.engines import engine_contracts

if TYPE_CHECKING:
    from affidavit.replay.result import Replayed

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")

#: What every program is started by.
_STARTERS = {
    "py": (
        ["python3", "start.py"],
        "start.py",
        b"""import json
import sys

from program import answer

given = json.load(sys.stdin)
engine = {"engine_code": "SPECTRA", "engine_version": "1.0.0"}
made = {"run_id": given["run_id"], "engine": engine, "metrics": {}, "semantics": "DETERMINISTIC_TRANSFORM"}
json.dump(made | {"outputs": answer(given["inputs"]["samples"])}, sys.stdout)
""",
    ),
    "js": (
        ["node", "start.js"],
        "start.js",
        b"""const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const engine = { engine_code: "SPECTRA", engine_version: "1.0.0" };
const outputs = require("./program.js").answer(given.inputs.samples);
const made = { run_id: given.run_id, engine, metrics: {}, semantics: "DETERMINISTIC_TRANSFORM", outputs };
process.stdout.write(JSON.stringify(made));
""",
    ),
}


class Program:
    """One program and what is expected of it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.language = name.rsplit(".", 1)[1]
        with open(os.path.join(PROGRAMS, name), "rb") as file:
            self.text = file.read()
        head = dict(line.lstrip("#/ ").split(": ", 1) for line in self.text.decode().split("\n\n")[0].splitlines())
        self.source = head["source"]
        self.expected = {kind: _read(head[kind]) for kind in ("plain", "vary")}

    def __repr__(self) -> str:
        return self.name


def _read(told: str) -> tuple[str, list[str]]:
    verdict, *causes = told.split(" ")
    return verdict, sorted(causes)


def programs() -> list[Program]:
    return [Program(name) for name in sorted(os.listdir(PROGRAMS)) if name.endswith((".py", ".js"))]


def sealed(program: Program, place: str) -> tuple[str, str]:
    """The program as an engine that was run and sealed: its folder and the sealed run."""
    entrypoint, starter, text = _STARTERS[program.language]
    contracts: dict[str, Any] = engine_contracts(entrypoint=entrypoint)
    contracts["OUTPUT_SCHEMA.json"] = {"type": "object"}
    folder = engine_folder(os.path.join(place, "engine"), contracts)
    write(folder, starter, text)
    write(folder, f"program.{program.language}", program.text)
    os.mkdir(os.path.join(folder, "parts"))
    for number in range(30):
        write(os.path.join(folder, "parts"), f"part-{number * 7 % 30:02}.txt", b"%d" % number)
    outcome = run_engine(folder, canonical(INPUT), out=os.path.join(place, "RUN_BUNDLE"))
    assert isinstance(outcome, Sealed), outcome
    return folder, outcome.path


def tried(program: Program, place: str, *, times: int) -> dict[str, Replayed]:
    """A plain replay of the program, and one under other conditions."""
    folder, run = sealed(program, place)
    return {
        "plain": replay_engine(run, folder),
        "vary": replay_engine(run, folder, times=times, vary=list(VARIATIONS)),
    }


def wrong(program: Program, found: dict[str, Replayed]) -> list[str]:
    """What a replay said and should not have."""
    told = []
    for kind, replayed in found.items():
        causes = sorted(cause.name for cause in replayed.outcome.causes) if replayed.outcome is not None else []
        if (replayed.verdict, causes) != program.expected[kind]:
            told.append(f"{program}: {kind}: expected {program.expected[kind]}, found {(replayed.verdict, causes)}")
    return told


def main(times: int) -> int:
    mistakes: list[str] = []
    for program in programs():
        with tempfile.TemporaryDirectory() as place:
            told = wrong(program, tried(program, place, times=times))
        print(f"{'WRONG' if told else 'right'}  {program.name}: {program.source}", *told, sep="\n  ", flush=True)
        mistakes += told
    print(f"{len(programs())} programs, {len(mistakes)} wrong verdicts")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
