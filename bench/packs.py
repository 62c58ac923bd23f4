"""How long it takes to export a run with large outputs, to verify the archive of a pack, and to apply a patch."""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from affidavit import verify_pack
from affidavit.canon.jcs import canonical
from affidavit.contracts.model_io import EXAMPLE as MODEL_IO
from affidavit.packs.apply import apply_pack
from affidavit.packs.export import export_pack
from tests.support.packs import bytes_of, recorded_pack
from tests.support.patches import create, write_patch_pack
from tests.support.runs import begin_run

from .frame import Row, medians
from .verify import write_session

_MB = 1_000_000
_FILES = 200


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        return [*_export(place), *_archive(place), *_apply(place)]


def _run(out: Path, megabytes: int, files: int = 20) -> str:
    """A committed run of every member that there is, with outputs of so many megabytes."""
    members = recorded_pack()["members"]
    run = members["run.json"]
    size = megabytes * _MB // files
    data = os.urandom(size)
    digest = "sha256:" + hashlib.sha256(data).hexdigest()
    outputs = [
        {"path": f"out/{number:03}", "sha256": digest, "size_bytes": size, "mode": "0644"} for number in range(files)
    ]
    run["execution"].update(outputs=outputs, total_output_bytes=size * files)
    with begin_run(out, run["run_id"]) as writer:
        for name, member in members.items():
            if name not in ("ledger.jsonl", "meta.json"):
                writer.put(name, bytes_of(member))
        for output in outputs:
            writer.put("outputs/" + str(output["path"]), data)
        writer.commit()
    return str(out / run["run_id"])


def _export(place: Path) -> list[Row]:
    large, small = _run(place / "large", 100), _run(place / "small", 1)
    number = itertools.count()
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(large) for name in names]

    def export(run: str) -> None:
        export_pack(run, directory=place / f"pack-{next(number)}", wanted=["model-io", "meta"])

    def hash_all() -> None:
        for path in paths:
            with open(path, "rb", buffering=0) as file:
                hashlib.file_digest(file, "sha256")

    took = medians({"export": lambda: export(large), "small": lambda: export(small), "hash": hash_all}, rounds=7)
    control = f"reading and hashing the same files with hashlib: {took['hash'] * 1000:.0f} ms"
    more = (_peak(place, large) - _peak(place, small)) / _MB
    return [
        Row(
            "export of a run with 100 MB of outputs",
            took["export"] / took["hash"],
            "x hashing them",
            at_most=1.5,
            control=control,
        ),
        Row("memory for these outputs, over 1 MB of them", more, "MB", at_most=8, control="whole processes"),
    ]


def _peak(place: Path, run: str) -> int:
    """The peak resident size of a process that exports a run, in bytes."""
    probe = (
        "import sys\n"
        "from affidavit.packs.export import export_pack\n"
        "export_pack(sys.argv[1], directory=sys.argv[2])\n"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])\n"
    )
    target = place / "peak"
    shutil.rmtree(target, ignore_errors=True)
    done = subprocess.run([sys.executable, "-c", probe, run, target], capture_output=True, check=True, text=True)
    return 1024 * int(done.stdout)


def _archive(place: Path) -> list[Row]:
    """An ordinary pack, and one with a model session of many megabytes."""
    found: list[Row] = []
    for name, heavy in (("of nine members", False), ("with a model session of 90 MB", True)):
        members = recorded_pack()["members"]
        out = place / f"out-{heavy}"
        with begin_run(out, members["run.json"]["run_id"]) as writer:
            for member, told in members.items():
                if member not in ("ledger.jsonl", "meta.json", "model_io.json"):
                    writer.put(member, bytes_of(told))
            if heavy:
                write_session(os.path.join(writer.directory, "model_io.json"))
            else:
                writer.put("model_io.json", canonical(MODEL_IO) + b"\n")
            writer.commit()
        pack, archive = place / f"dir-{heavy}", place / f"{heavy}.zip"
        run = out / members["run.json"]["run_id"]
        export_pack(run, directory=pack, archive=archive, wanted=["model-io", "meta"])
        assert verify_pack(pack).ok
        assert verify_pack(archive).ok
        took = medians({"zip": partial(verify_pack, archive), "dir": partial(verify_pack, pack)}, rounds=7)
        found.append(
            Row(
                f"verifying the archive of a pack {name}",
                took["zip"] / took["dir"],
                "x its directory",
                at_most=1.3,
                control=f"the directory: {took['dir'] * 1000:.1f} ms",
            )
        )
    return found


def _apply(place: Path) -> list[Row]:
    """Files of 10 KB; the control writes them durably and no more."""
    content = "x" * 10_000
    pack = write_patch_pack(place / "patch", *(create(f"d{n % 10}/{n:04}", content) for n in range(_FILES)))
    number = itertools.count()

    def apply() -> None:
        target = place / f"target-{next(number)}"
        target.mkdir()
        assert apply_pack(pack, target).result["outcome"] == "SUCCESS"

    def write() -> None:
        target = place / f"plain-{next(number)}"
        target.mkdir()
        for n in range(_FILES):
            (target / f"d{n % 10}").mkdir(exist_ok=True)
            with open(target / f"d{n % 10}" / f"{n:04}", "w", encoding="utf-8") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())

    took = medians({"apply": apply, "write": write}, rounds=5)
    control = f"writing and syncing each: {took['write'] * 1000:.0f} ms"
    return [
        Row(f"applying a patch of {_FILES} files", took["apply"] / took["write"], "x writing them", control=control)
    ]
