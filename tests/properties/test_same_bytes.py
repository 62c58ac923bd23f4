"""What a verification says depends on the document alone: not on the process, its locale, its directory or its time."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.support.cli import environment
from tests.support.contracts import ROOT

if TYPE_CHECKING:
    from pathlib import Path

#: Judges every vector there is and writes every answer, for programs and for people.
_JUDGE_ALL = f"""
import sys
sys.path.insert(0, {ROOT!r})
from affidavit.canon.jcs import canonical
from affidavit.rules.report import as_json, as_lines
from affidavit.rules.sarif import as_sarif
from tests.support.judging import judged
from tests.support.vectors import all_vectors
for vector in all_vectors():
    report = judged(vector)
    sys.stdout.buffer.write(canonical(as_json(report)) + canonical(as_sarif([("x", report)], "0")))
    sys.stdout.buffer.write(repr(as_lines(report, name=vector.name, verbose=True)).encode() + b"\\n")
"""


def answers(cwd: str, **more: str) -> bytes:
    ran = subprocess.run(
        [sys.executable, "-c", _JUDGE_ALL],
        cwd=cwd,
        env=environment(**more),
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout


def test_every_answer_is_the_same_whatever_the_process(tmp_path: Path) -> None:
    wanted = answers("/", PYTHONHASHSEED="0")
    assert wanted.count(b"\n") > 500
    assert wanted == answers(str(tmp_path), PYTHONHASHSEED="1", LC_ALL="C", TZ="Asia/Tokyo", PYTHONUTF8="0")
    assert wanted == answers(os.getcwd(), PYTHONHASHSEED="77", LC_ALL="tr_TR.UTF-8", LANGUAGE="de", PYTHONOPTIMIZE="0")
