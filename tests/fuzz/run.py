"""Fuzzes one target, or all in turn, for some seconds: `make fuzz FUZZ_SECONDS=600`. Coverage-guided, by atheris."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT)


def fuzz(name: str, seconds: int, corpus: str) -> None:
    """Runs in this process and never returns: libFuzzer ends it."""
    import atheris

    with atheris.instrument_imports(include=["affidavit"]):
        from tests.fuzz.targets import TARGETS

    atheris.Setup([sys.argv[0], corpus, f"-max_total_time={seconds}", "-max_len=4096", "-verbosity=0"], TARGETS[name])
    atheris.Fuzz()


def seed(name: str, corpus: str) -> None:
    """Some documents to start from: the vectors' bodies, and the pieces that readers get wrong."""
    from tests.support.vectors import all_vectors

    bodies: list[bytes] = []
    if name in ("reader", "runner", "ledger"):
        bodies = [vector.body for vector in all_vectors() if name != "ledger" or vector.document == "ledger"]
    elif name == "every_document":
        from tests.fuzz.targets import SINGLE

        bodies = [
            bytes([SINGLE.index(vector.document)]) + vector.body
            for vector in all_vectors()
            if vector.document in SINGLE
        ]
    elif name == "archive":
        from tests.support.pack_files import two_members, write_archive

        path = write_archive(os.path.join(corpus, "sound"), two_members())
        with open(path, "rb") as file:
            bodies = [file.read()]
    for number, body in enumerate(bodies):
        with open(os.path.join(corpus, f"body{number}"), "wb") as file:
            file.write(body[:4096])


def main(words: list[str]) -> int:
    if len(words) == 3 and words[0] == "--one":
        fuzz(words[1], int(words[2]), os.environ["FUZZ_CORPUS"])
    from tests.fuzz.targets import TARGETS

    seconds = int(words[0]) if words else 600
    names = words[1:] or list(TARGETS)
    for name in names:
        with tempfile.TemporaryDirectory() as corpus:
            seed(name, corpus)
            command = [sys.executable, os.path.abspath(__file__), "--one", name, str(max(1, seconds // len(names)))]
            # libFuzzer writes what it found wrong into the working directory
            done = subprocess.run(command, env={**os.environ, "FUZZ_CORPUS": corpus}, cwd=corpus, check=False)
            if done.returncode:
                for entry in sorted(os.listdir(corpus)):
                    if entry.startswith(("crash-", "timeout-", "oom-")):
                        with open(os.path.join(corpus, entry), "rb") as file:
                            print(f"{name}: {entry}: {file.read()!r}", file=sys.stderr)
                return 1
        print(f"{name}: nothing found", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
