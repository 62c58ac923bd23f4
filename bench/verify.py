"""How many packs and records one core verifies in a second, and how much memory the large ones take."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from affidavit import read, verify_pack, verify_runner
from affidavit.canon.jcs import canonical
from affidavit.canon.profiles import RAW
from affidavit.contracts.model_io import EXAMPLE as MODEL_IO
from affidavit.contracts.runner import EXAMPLE as RUNNER
from tests.support.pack_files import seven_members, two_members, write_directory
from tests.vectors.make_ledger import chained, lines

from .frame import Row, medians

_PACKS = 200


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as place:
        return [*_rates(place), *_memory(place)]


def _rates(place: str) -> list[Row]:
    packs = [write_directory(os.path.join(place, f"pack{number}"), two_members()) for number in range(_PACKS)]
    data = canonical(RUNNER)
    assert verify_pack(packs[0]).ok
    assert verify_runner(read(data)).ok

    def all_packs() -> None:
        for path in packs:
            verify_pack(path)

    took = medians(
        {
            "pack": all_packs,
            "parsed": lambda: verify_runner(RUNNER),
            "bytes": lambda: verify_runner(read(data)),
            "json": lambda: json.loads(data),
        },
        clock=time.process_time,  # what one core does in a second, also when it has other things to do
    )
    control = f"json.loads of one record {1 / took['json']:,.0f}/s"
    return [
        Row("two-member packs from disk", _PACKS / took["pack"], "/s", at_least=6_000, control=control),
        Row("runner records, parsed", 1 / took["parsed"], "/s", at_least=25_000, control=control),
        Row("runner records, from bytes", 1 / took["bytes"], "/s", at_least=20_000, control=control),
    ]


def _memory(place: str) -> list[Row]:
    """Peak memory of whole processes, without what the same process takes for a small pack."""
    small = write_directory(os.path.join(place, "small"), seven_members())
    floor = _peak(small)
    found: list[Row] = []
    line = lines(chained(1))
    sizes = {}
    for megabytes in (10, 100):
        count = megabytes * 1_000_000 // len(line)
        path = write_directory(os.path.join(place, f"ledger{megabytes}"), seven_members())
        with open(os.path.join(path, "ledger.jsonl"), "wb") as file:
            file.write(line * count)
        sizes[megabytes] = (_peak(path) - floor) / 1e6
    control = f"a small pack: {floor / 1e6:.0f} MB"
    name = "memory for a ledger of 100 MB in a pack, over one of 10 MB"
    found.append(Row(name, sizes[100] - sizes[10], "MB", at_most=2, control=control))
    path = write_directory(os.path.join(place, "session"), seven_members())
    size = write_session(os.path.join(path, "model_io.json"))
    control = f"a file of {size / 1e6:.0f} MB"
    found.append(
        Row(
            "memory for a model session in a pack",
            (_peak(path) - floor) / size,
            "x its size",
            at_most=5,
            control=control,
        )
    )
    return found


def write_session(path: str) -> int:
    """A session of some 90 MB, in responses of 100 KB."""
    text = 'A response with some words, \u00e9 and "quotes".\n' * 2000
    digest = RAW.digest(text.encode()).content_hash
    interactions: list[dict[str, Any]] = [
        {
            **MODEL_IO["interactions"][0],
            "i": number,
            "response_content": text,
            "response_hash": digest,
        }
        for number in range(900)
    ]
    data = canonical({**MODEL_IO, "interactions": interactions})
    with open(path, "wb") as file:
        return file.write(data)


def _peak(path: str) -> int:
    """The peak resident size of a process that verifies a pack, in bytes."""
    probe = (
        "import sys\n"
        "from affidavit import verify_pack\n"
        "assert verify_pack(sys.argv[1]).ok\n"
        # not ru_maxrss: that remembers how large the process was that this one was forked from
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])\n"
    )
    return 1024 * int(
        subprocess.run([sys.executable, "-c", probe, path], capture_output=True, check=True, text=True).stdout
    )
