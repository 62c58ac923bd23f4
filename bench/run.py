"""Runs of the harness from an installed wheel: a plan beside the bare interpreter, a run of `true` beside its peers."""

from __future__ import annotations

import os
import subprocess
import tempfile

from affidavit.canon.jcs import canonical

from .frame import Row, process_medians
from .peers import PEERS, peer
from .start import installed

INTENT = {
    "goal": "Build the page.",
    "constraints": ["English only", "No scripts"],
    "context": {"work": {"commands": [{"id": "build", "argv": ["node", "build.js"]}]}},
}
_BWRAP = (
    "bwrap --unshare-all --die-with-parent --new-session --ro-bind /usr /usr --symlink usr/bin /bin "
    "--symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp --bind . /workspace "
    "--chdir /workspace --clearenv --setenv PATH /usr/bin true"
)


def rows() -> list[Row]:
    with installed() as where, tempfile.TemporaryDirectory() as place:
        for name in ("home", "work"):
            os.mkdir(os.path.join(place, name))
        work = os.path.join(place, "work")
        with open(os.path.join(work, "intent.json"), "wb") as file:
            file.write(canonical(INTENT))
        environment = {
            "PATH": f"{PEERS}:{where}:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "HOME": os.path.join(place, "home"),
        }
        commands = {
            "python -c pass": [f"{where}/python", "-c", "pass"],
            "affidavit run, plan only": [f"{where}/affidavit", "run", "intent.json"],
            "affidavit run -- true": [f"{where}/affidavit", "run", "--", "true"],
            "bwrap": _BWRAP.split(),
            **_peers(place, environment),
        }
        took = process_medians(commands, rounds=21, env=environment, cwd=work)
    bare, ours, bwrap = took["python -c pass"], took["affidavit run -- true"], took["bwrap"]
    control = f"python -c pass {bare * 1e3:.1f} ms"
    found = [
        Row("affidavit run, plan only", took["affidavit run, plan only"] / bare, "x bare", at_most=4, control=control),
        Row("affidavit run -- true", ours * 1e3, "ms", at_most=70, control=f"{control}, load {os.getloadavg()[0]:.1f}"),
        Row("affidavit run -- true", ours / bwrap, "x bwrap", control=f"bare bwrap {bwrap * 1e3:.1f} ms"),
    ]
    found += [
        Row("affidavit run -- true", ours / took[name], f"x {name}", control=f"{took[name] * 1e3:.0f} ms")
        for name in ("in-toto-run", "datalad run", "reprozip trace")
        if name in took
    ]
    return found


def _peers(place: str, environment: dict[str, str]) -> dict[str, list[str]]:
    """The same job for those that are installed, each with what it needs to leave a record of it."""
    found: dict[str, list[str]] = {}

    def prepare(*words: str) -> None:
        subprocess.run(words, check=True, capture_output=True, env=environment)

    in_toto, datalad, reprozip = peer("in-toto-run"), peer("datalad"), peer("reprozip")
    if in_toto is not None:
        key = os.path.join(place, "key.pem")
        prepare("openssl", "genpkey", "-algorithm", "ed25519", "-out", key)
        found["in-toto-run"] = [
            in_toto, "--step-name", "true", "--signing-key", key, "--materials", ".", "--products", ".",
            "--metadata-directory", place, "--", "true",
        ]  # fmt: skip
    if datalad is not None:
        dataset = os.path.join(place, "dataset")
        prepare("git", "config", "--global", "user.name", "bench")
        prepare("git", "config", "--global", "user.email", "bench@localhost")
        prepare(datalad, "create", dataset)
        found["datalad run"] = [datalad, "-C", dataset, "run", "-m", "true", "true"]
    if reprozip is not None:
        prepare(reprozip, "usage_report", "--disable")
        found["reprozip trace"] = [reprozip, "trace", "--overwrite", "-d", os.path.join(place, "trace"), "true"]
    return found
