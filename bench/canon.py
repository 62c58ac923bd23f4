"""Canonical JSON against the rfc8785 package, strict reading against orjson.loads."""

from __future__ import annotations

import gc
import random
from typing import Any

import orjson
import rfc8785

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read, read_document

from .frame import Row, medians


def evidence_like() -> dict[str, Any]:
    """About 2 KB, shaped like evidence: hashes, paths, small integers."""
    source = random.Random(2)
    return {
        "proposal_id": "prop_0123456789abcdef",
        "proposal_hash": "sha256:" + source.randbytes(32).hex(),
        "status": "complete",
        "action_results": [
            {
                "path": f"out/file{number}.txt",
                "action": "create",
                "sha256": "sha256:" + source.randbytes(32).hex(),
                "exit_code": 0,
            }
            for number in range(7)
        ],
        "test_results": [
            {
                "test_id": f"test-{number}",
                "passed": True,
                "exit_code": 0,
                "stdout_sha256": "sha256:" + source.randbytes(32).hex(),
                "stderr_sha256": "sha256:" + source.randbytes(32).hex(),
            }
            for number in range(3)
        ],
    }


def nested(megabytes: int, *, floats: bool) -> dict[str, Any]:
    """A document of about that size: records in groups in groups, text with and without escapes."""
    source = random.Random(megabytes)
    groups: dict[str, Any] = {}
    size = 0
    while size < megabytes * 1_000_000:
        records = [
            {
                "id": source.randrange(2**40),
                "name": f"entry {source.randrange(10**6)} \u00e9\n",
                "tags": [f"t{source.randrange(100)}" for _ in range(4)],
                "value": source.uniform(-1e6, 1e6) if floats else source.randrange(10**6),
                "ratio": source.random() if floats else None,
                "sha256": source.randbytes(32).hex(),
                "ok": True,
            }
            for _ in range(100)
        ]
        groups[f"group{len(groups)}"] = {"records": records, "meta": {"count": 100, "note": None}}
        size += len(orjson.dumps(records))
    return groups


def rows() -> list[Row]:
    small = evidence_like()
    found = [_times("canonicalize 2 KB, evidence-like", small, 8)]
    for floats in (True, False):
        value = nested(10, floats=floats)
        name = f"canonicalize 10 MB, {'with' if floats else 'without'} floats"
        found.append(_times(name, value, 4.5))
        data = orjson.dumps(value)
        del value
        if not floats:
            found.append(_after_reading(data))
        found.append(_reading(f"strict read 10 MB, {'with' if floats else 'without'} floats", data))
        gc.collect()
    return found


def _times(name: str, value: Any, at_least: float) -> Row:
    assert canonical(value) == rfc8785.dumps(value)
    took = medians({"ours": lambda: canonical(value), "rfc8785": lambda: rfc8785.dumps(value)})
    control = f"rfc8785 {took['rfc8785'] * 1e3:.3g} ms"
    return Row(name, took["rfc8785"] / took["ours"], "x rfc8785", at_least=at_least, control=control)


def _after_reading(data: bytes) -> Row:
    """The value was never handed out, so what the reader learned of it holds."""
    document, value = read_document(data), orjson.loads(data)
    assert document.canonical() == rfc8785.dumps(value)
    took = medians({"ours": document.canonical, "rfc8785": lambda: rfc8785.dumps(value)})
    control = f"rfc8785 {took['rfc8785'] * 1e3:.3g} ms"
    name = "canonicalize 10 MB without floats, as it came through the reader"
    return Row(name, took["rfc8785"] / took["ours"], "x rfc8785", at_least=20, control=control)


def _reading(name: str, data: bytes) -> Row:
    assert read(data) == orjson.loads(data)
    took = medians({"ours": lambda: read(data), "orjson": lambda: orjson.loads(data)})
    control = f"orjson.loads {took['orjson'] * 1e3:.3g} ms"
    return Row(name, took["orjson"] / took["ours"], "x orjson.loads", at_least=0.7, control=control)
