"""Runs of the harness from an installed wheel: a plan beside the bare interpreter, a run of `true` beside its peers."""

from __future__ import annotations

import os
import subprocess
import tempfile

from affidavit.canon.jcs import canonical

from .frame import Row, process_medians
from .start import installed

#: Where `make bench-peers` puts them.
PEERS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), ".bench-peers", "bin")
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
    peers = [peer for peer in ("in-toto-run", "datalad run") if peer in took]
    found += [
        Row("affidavit run -- true", ours / took[peer], f"x {peer}", control=f"{took[peer] * 1e3:.0f} ms")
        for peer in peers
    ]
    return found


def _peers(place: str, environment: dict[str, str]) -> dict[str, list[str]]:
    """The same job for those that are installed, each with what it needs to leave a record of it."""
    found: dict[str, list[str]] = {}

    def prepare(*words: str) -> None:
        subprocess.run(words, check=True, capture_output=True, env=environment)

    if os.path.exists(os.path.join(PEERS, "in-toto-run")):
        key = os.path.join(place, "key.pem")
        prepare("openssl", "genpkey", "-algorithm", "ed25519", "-out", key)
        found["in-toto-run"] = [
            f"{PEERS}/in-toto-run", "--step-name", "true", "--signing-key", key, "--materials", ".", "--products", ".",
            "--metadata-directory", place, "--", "true",
        ]  # fmt: skip
    if os.path.exists(os.path.join(PEERS, "datalad")):
        dataset = os.path.join(place, "dataset")
        prepare("git", "config", "--global", "user.name", "bench")
        prepare("git", "config", "--global", "user.email", "bench@localhost")
        prepare(f"{PEERS}/datalad", "create", dataset)
        found["datalad run"] = [f"{PEERS}/datalad", "-C", dataset, "run", "-m", "true", "true"]
    return found
