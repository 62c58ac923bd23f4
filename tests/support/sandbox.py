"""Runs a command in a real sandbox and hands back what was observed and what it said."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from affidavit.contracts.policy import built_in
from affidavit.sandbox.gaps import Gaps
from affidavit.sandbox.prepare import prepare
from affidavit.sandbox.request import SandboxRequest
from affidavit.sandbox.runner import run

if TYPE_CHECKING:
    from affidavit.sandbox.observation import Observation
    from affidavit.sandbox.spec import SandboxSpec


class Ran:
    """An observation with the captured bytes and the spec that was run."""

    def __init__(self, observation: Observation, out: bytes, err: bytes, spec: SandboxSpec) -> None:
        self.seen = observation
        self.out = out
        self.err = err
        self.spec = spec


def policy(base: str = "dev", **changes: Any) -> dict[str, Any]:
    """A built-in policy, or one of our own that starts from it."""
    made = built_in(base)
    return {**made, "name": "custom", **changes} if changes else made


def prepared(request: SandboxRequest) -> SandboxSpec:
    spec = prepare(request)
    assert not isinstance(spec, Gaps), spec
    return spec


def ran(request: SandboxRequest, **options: Any) -> Ran:
    spec = prepared(request)
    out, err = os.memfd_create("out"), os.memfd_create("err")
    try:
        seen = run(spec, stdout=out, stderr=err, **options)
        return Ran(seen, os.pread(out, 1 << 27, 0), os.pread(err, 1 << 27, 0), spec)
    finally:
        os.close(out)
        os.close(err)


def shell(script: str, workspace: object, **options: Any) -> SandboxRequest:
    """A request for /bin/sh under `dev`, unless `policy` says otherwise."""
    return SandboxRequest(options.pop("policy", policy()), ["sh", "-c", script], str(workspace), **options)
