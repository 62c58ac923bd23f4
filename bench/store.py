"""Verifying and committing runs, against libcrypto, coreutils and bagit.py on the same data in the same minute.

The sizes are a quarter of what the figures speak of, or as BENCH_STORE says: 1 for all of it (9 GB of disk), 0.05 for a
glance. The ratios hardly depend on it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time

from affidavit.canon.profiles import RAW
from affidavit.store.writer import begin

from .frame import Row, environment, medians, process_medians
from .peers import peer
from .store_data import make_run, many

SCALE = float(os.environ.get("BENCH_STORE", "0.25"))
_VERIFY = (sys.executable, "-m", "affidavit", "verify", "--quiet")
_ROUNDS = 5


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as place:
        return [*_one_large_file(place), *_megabytes(place), *_kilobytes(place), *_commit(place)]


def _shell(script: str, *words: str) -> tuple[str, ...]:
    return ("sh", "-c", script, "sh", *words)


def _one_large_file(place: str) -> list[Row]:
    size = int(4e9 * SCALE)
    run = make_run(place, "large", {"data": size})
    file = os.path.join(run, "data")
    took = process_medians(
        {
            "ours": (*_VERIFY, run),
            "openssl": ("openssl", "dgst", "-sha256", file),
            "openssl twice, in turn": _shell('openssl dgst -sha256 "$1"; openssl dgst -sha256 "$1"', file),
            "openssl twice, at once": _shell('openssl dgst -sha256 "$1" & openssl dgst -sha256 "$1"; wait', file),
            "nothing": (*_VERIFY, "--help"),
        },
        rounds=_ROUNDS,
        env=environment(),
    )
    peak = _peak_megabytes(run)
    shutil.rmtree(run)
    told = f"{size / 1e9 / took['openssl']:.2f} GB/s by openssl dgst; start {took['nothing'] * 1e3:.0f} ms"
    two = took["openssl twice, in turn"] / took["openssl twice, at once"]
    return [
        Row("two cores: openssl dgst in turn / at once", two, "x", control="what two cores are worth here and now"),
        Row(f"verify one file of {size / 1e9:g} GB", took["openssl"] / took["ours"], "x openssl", at_least=0.95, control=told),  # noqa: E501
        Row("memory for it", peak, "MB", at_most=40),
    ]  # fmt: skip


def _megabytes(place: str) -> list[Row]:
    count = max(10, int(1000 * SCALE))
    run = make_run(place, "megabytes", many(count, 1_000_000))
    listed = _listed(place, run)
    took = process_medians(
        {
            "ours": (*_VERIFY, run),
            "xargs": _shell('xargs -0 -P2 openssl dgst -sha256 < "$1"', listed),
            "xargs -n 100": _shell('xargs -0 -P2 -n 100 openssl dgst -sha256 < "$1"', listed),
        },
        rounds=_ROUNDS,
        env=environment(),
    )
    shutil.rmtree(run)
    alone, divided, ours = took["xargs"], took["xargs -n 100"], took["ours"]
    name = f"verify {count} files of 1 MB"
    return [
        Row(
            name, alone / ours, "x", at_least=1.0, control=f"xargs -P2 openssl dgst {alone:.2f} s, all names in one go"
        ),
        Row(name, divided / ours, "x", control=f"xargs -P2 -n 100 openssl dgst {divided:.2f} s"),
    ]


def _kilobytes(place: str) -> list[Row]:
    count = int(100_000 * SCALE)
    run = make_run(place, "kilobytes", many(count, 1000))
    listed = _listed(place, run)
    bag = _bag(place, run)
    commands = {
        "ours": (*_VERIFY, run),
        "xargs -P2 sha256sum": _shell('xargs -0 -P2 -n 5000 sha256sum < "$1"', listed),
        "sha256sum -c": _shell('cd "$1" && sha256sum --quiet -c manifest-sha256.txt', bag),
    }
    if (bagit_py := peer("bagit.py")) is not None:
        commands["bagit.py"] = (bagit_py, "--quiet", "--validate", "--processes", "2", bag)
    took = process_medians(commands, rounds=_ROUNDS, env=environment())
    peak = _peak_megabytes(run)
    shutil.rmtree(run)
    shutil.rmtree(bag)
    ours, name = took["ours"], f"verify {count} files of 1 KB"
    xargs, checked = took["xargs -P2 sha256sum"], took["sha256sum -c"]
    found = [
        Row(name, xargs / ours, "x xargs", at_least=1.2, control=f"xargs -P2 sha256sum {xargs:.2f} s, which compares nothing"),  # noqa: E501
        Row(name, checked / ours, "x sha256sum -c", control=f"sha256sum -c {checked:.2f} s, which does like for like"),
        Row("memory for them, beyond 1 KB an entry", peak - count / 1000, "MB", at_most=40),
    ]  # fmt: skip
    if "bagit.py" in took:
        bagit = took["bagit.py"]
        found.append(Row(name, bagit / ours, "x bagit.py", at_least=8, control=f"bagit.py --processes 2 {bagit:.2f} s"))
    return found


def _listed(place: str, run: str) -> str:
    """The files below `data`, as xargs -0 wants them."""
    path = os.path.join(place, "list")
    with open(path, "wb") as file:
        for folder, _, names in os.walk(os.path.join(run, "data")):
            file.writelines(os.fsencode(os.path.join(folder, name)) + b"\0" for name in sorted(names))
    return path


def _bag(place: str, run: str) -> str:
    """The same files as a bag, and as a list for sha256sum -c."""
    bag = os.path.join(place, "bag")
    lines = []
    for folder, _, names in os.walk(os.path.join(run, "data")):
        below = os.path.relpath(folder, run)
        os.makedirs(os.path.join(bag, below))
        for name in names:
            path = os.path.join(bag, below, name)
            os.link(os.path.join(folder, name), path)
            with open(path, "rb") as file:
                lines.append(f"{RAW.digest(file.read()).hex}  {below}/{name}\n")
    for name, text in {
        "bagit.txt": "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n",
        "manifest-sha256.txt": "".join(sorted(lines, key=lambda line: line[66:])),
    }.items():
        with open(os.path.join(bag, name), "w", encoding="utf-8") as file:
            file.write(text)
    return bag


_PEAK = """
import resource, sys
from affidavit import load_bundle
load_bundle(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def _peak_megabytes(run: str) -> float:
    told = subprocess.run([sys.executable, "-c", _PEAK, run], stdout=subprocess.PIPE, check=True, env=environment())
    return int(told.stdout) * 1024 / 1e6


def _commit(place: str) -> list[Row]:
    """Twenty small files: a run that is begun and committed, against each file by itself with all its syncs."""
    files = {f"file{number:02}": bytes([number]) * 500 for number in range(20)}
    number = 0

    def ours() -> None:
        nonlocal number
        number += 1
        writer = begin(
            os.path.join(place, "runs"), f"run-{number}", plan_id="bench", plan_digest="0" * 64, world_id="w",
            channel="direct",
        )  # fmt: skip
        with writer:
            for name, data in files.items():
                writer.put(name, data)
            started = time.perf_counter()
            writer.commit()
            committing.append(time.perf_counter() - started)

    def one_by_one() -> None:
        nonlocal number
        number += 1
        folder = os.path.join(place, f"naive-{number}")
        os.mkdir(folder)
        for name, data in files.items():
            path = os.path.join(folder, name)
            with open(path + ".new", "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.rename(path + ".new", path)
            directory = os.open(folder, os.O_RDONLY)
            os.fsync(directory)
            os.close(directory)

    committing: list[float] = []
    took = medians({"ours": ours, "one by one": one_by_one}, rounds=15, seconds=0.001)
    naive = took["one by one"]
    told = f"fsync, rename, fsync(dir) of each: {naive * 1e3:.1f} ms"
    alone = sorted(committing)[len(committing) // 2]
    return [
        Row("commit of 20 small files", alone / naive, "x", at_most=0.4, control=told),
        Row("begin, write and commit them", took["ours"] / naive, "x", control=f"{took['ours'] * 1e3:.1f} ms"),
    ]
