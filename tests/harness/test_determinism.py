"""The canonical subset of identical inputs is the same bytes, whoever makes it, where and when (seed 000, 4.5)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.evidence import evidence_hash
from affidavit.contracts.run import canonical_subset
from tests.support.cli import affidavit, environment
from tests.support.harness import acceptance, command, executed, file, shell
from tests.support.ordinary import as_ordinary_user

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.sandbox

#: Each kind of executed run: (profile, options, work).
KINDS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "accepted": (
        "dev",
        {},
        {
            "files": [file("\u00e9/new", "caf\u00e9\n"), file("old", op="delete")],
            "commands": [shell("b", "sort data >sorted; chmod 640 sorted; ls"), shell("a", "echo now >&2")],
            "tests": [acceptance("t", "content_match", "sorted", "1\n2")],
        },
    ),
    "rejected": ("dev", {}, {"commands": [shell("c", "echo partly >made; echo no >&2; exit 7"), command("d", "true")]}),
    "optional": ("dev", {}, {"commands": [command("c", "false", required=False)]}),
    "absent": ("dev", {}, {"commands": [command("c", "no-such-program")]}),
    "killed": ("dev", {}, {"commands": [shell("c", "kill -9 $$")]}),
    "too long": ("dev", {"timeout_ms": 1000}, {"commands": [shell("c", "echo before; sleep 600")]}),
    "secret": ("dev", {"secrets": {"TOKEN": "s3cret"}}, {"commands": [shell("c", 'echo "$TOKEN"; echo "$TOKEN" >x')]}),
    "input": ("dev", {"stdin": b"given"}, {"commands": [shell("c", "cat; env | sort")]}),
    "strict": ("strict", {}, {"commands": [command("c", "node", "-p", "[process.cwd(), process.env]")]}),
    "files": ("default", {}, {"files": [file("out/a", "x")]}),
    "nothing": ("dev", {}, {}),
}


def made(place: Path, kind: str) -> bytes:
    """All that is to be the same of a run of this kind, made in `place`."""
    policy, options, work = KINDS[kind]
    (place / "work").mkdir()
    (place / "work" / "data").write_bytes(b"2\n1\n3\n")
    (place / "work" / "old").write_bytes(b"old\n")
    run = executed(place, policy=policy, options=options, **work)
    told = {
        "subset": canonical_subset(run.result),
        "evidence": evidence_hash(run.document("evidence.json")),
        "patch": run.document("patch.json"),
        "bundle": run.document("bundle.json"),
    }
    return canonical(told)


@pytest.fixture
def anybodys() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        os.chmod(place, 0o777)
        yield Path(place)


@pytest.mark.parametrize("kind", KINDS)
def test_another_directory_another_user_and_another_time_make_no_difference(
    kind: str, anybodys: Path, tmp_path: Path
) -> None:
    first = made(tmp_path, kind)

    assert as_ordinary_user(lambda: made(anybodys, kind)) == first


def test_another_locale_and_hash_seed_make_no_difference(tmp_path: Path) -> None:
    found = set()
    for name, more in (
        ("a", {"PYTHONHASHSEED": "0"}),
        ("b", {"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo", "COLUMNS": "3"}),
        ("c", {"PYTHONHASHSEED": "2", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "USER": "x"}),
        ("d", {"LC_ALL": "en_US.ISO-8859-1"}),
    ):
        place = tmp_path / name
        place.mkdir()
        for file_name in ("\u00e9", "I", "i", "z", "\U0001f600", "\uffee"):
            (place / file_name).write_bytes(b"x")
        script = 'for f in *; do echo y >>"$f"; done; env; pwd; id; hostname'
        ran = affidavit("run", "--", "sh", "-c", script, cwd=str(place), env=environment(HOME=str(place), **more))
        result: Any = read(ran.out)
        assert result["decision"]["accepted"]
        assert [output["path"] for output in result["execution"]["outputs"]] == [
            "I", "i", "z", "\u00e9", "\U0001f600", "\uffee",
        ]  # fmt: skip
        found.add(canonical(canonical_subset(result)))
    assert len(found) == 1
