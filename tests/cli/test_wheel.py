"""What is installed is what was tested: the wheel has everything that the commands read."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

from tests.support.cli import environment
from tests.support.contracts import ROOT, documents
from tests.support.pack_files import seven_members, write_directory

if TYPE_CHECKING:
    from pathlib import Path


def test_the_wheel_verifies_and_explains_on_its_own(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", tmp_path, ROOT], check=True, capture_output=True)
    (wheel,) = (name for name in os.listdir(tmp_path) if name.endswith(".whl"))
    with zipfile.ZipFile(tmp_path / wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "site")
    assert "affidavit/py.typed" in names
    assert {f"affidavit/specs/{document.replace('_', '-')}.md" for document in documents()} <= set(names)
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    sources = {
        os.path.relpath(os.path.join(folder, file), os.path.join(ROOT, "src"))
        for folder, _, files in os.walk(os.path.join(ROOT, "src", "affidavit"))
        for file in files
        if not folder.endswith("__pycache__")
    }
    assert sources <= set(names)
    pack = write_directory(tmp_path / "pack", seven_members())
    env = environment(PYTHONPATH=str(tmp_path / "site"), PYTHONDONTWRITEBYTECODE="1")
    told = [
        subprocess.run(
            [sys.executable, "-m", "affidavit", *words], env=env, cwd=tmp_path, check=True, capture_output=True
        ).stdout
        for words in (["explain", "RN6"], ["verify", pack], ["schema", "run"])
    ]
    assert told[0].startswith(b"runner:RN6")
    assert b'"ok":true' in told[1]
