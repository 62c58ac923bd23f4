"""Another setting than the usual one reaches the command: who it is, on what host, where, in which zone and locale."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from affidavit.contracts.policy import built_in
from affidavit.sandbox.prepare import prepare
from affidavit.sandbox.request import SandboxRequest
from affidavit.sandbox.runner import run
from affidavit.sandbox.setting import USUAL, Setting
from affidavit.sandbox.spec import SandboxSpec

if TYPE_CHECKING:
    from pathlib import Path

_ASK = "id -u; id -un; hostname; pwd; date -d @0 +%H; echo $LANG $TZ"


def told(tmp_path: Path, setting: Setting) -> list[str]:
    policy = built_in("dev") | {"name": "asks", "allowed_write_roots": ["tmp"]}
    request = SandboxRequest(
        policy,
        ["sh", "-c", _ASK],
        str(tmp_path),
        read_only={} if setting is USUAL else {str(tmp_path): setting.directory},
        setting=setting,
    )
    spec = prepare(request)
    assert isinstance(spec, SandboxSpec), spec
    with open(tmp_path / "said", "w+b") as said:
        observation = run(spec, stdout=said.fileno(), stderr=said.fileno())
        said.seek(0)
        lines = said.read().decode().splitlines()
    assert observation.outcome == "exited", (observation.why, lines)
    return lines


@pytest.mark.sandbox
def test_the_usual_setting_is_the_same_for_everybody(tmp_path: Path) -> None:
    assert told(tmp_path, USUAL) == ["1000", "sandbox", "sandbox", "/workspace", "00", "C.UTF-8 UTC"]


@pytest.mark.sandbox
def test_another_setting_reaches_the_command(tmp_path: Path) -> None:
    setting = Setting(uid=4321, hostname="elsewhere", directory="/srv/a", locale="de_DE.UTF-8", timezone="XXX-5")
    assert os.getuid() != 4321
    found = told(tmp_path, setting)
    assert found == ["4321", "sandbox", "elsewhere", "/srv/a", "05", "de_DE.UTF-8 XXX-5"]
