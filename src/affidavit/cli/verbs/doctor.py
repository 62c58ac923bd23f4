"""`affidavit doctor`: what this host can really isolate (contracts 5)."""

from __future__ import annotations

from ...sandbox.claims import NOT_CLAIMED
from ...sandbox.host import probe_host
from ...sandbox.landlock import landlock_abi
from ...sandbox.tools import find_tools
from ..args import Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...sandbox.abilities import Ability
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "doctor",
    "Finds by trying what this host can isolate: every mechanism of the sandbox is made for a moment and looked at "
    "from inside. Beside each gap stands what to do about it. Nothing on the host is changed.",
    examples=(
        ("affidavit doctor", "see what is there and what is missing"),
        ("affidavit doctor --json", "the same for a program"),
    ),
    statuses=(
        (0, "every mechanism is there; a weaker one may stand in for another, and is told"),
        (1, "a gap: policies that need it are refused (RUN_E005)"),
        (2, "could not run"),
        (3, "wrong usage"),
    ),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 2},
    answer="`ok`, `isolation_level`, `abilities`, `landlock_abi`, `node_version`, `npm_version` and `not_claimed`",
)


def run(args: Args, out: Output) -> int:  # noqa: ARG001 -- a verb's signature
    host = probe_host()
    abilities = list(host.abilities.values())
    ok = not host.gaps()
    if out.for_program:
        out.result(_told(abilities, ok=ok))
        return 0 if ok else 1
    lines: list[tuple[str, str]] = [("head", "what this host can isolate, found by trying")]
    for ability in abilities:
        word, style = ("gap", "bad") if not ability.works else ("weaker", "") if ability.weaker else ("works", "good")
        lines.append((style, f"  {word:<7}  {ability.name:<21}  {ability.found}"))
        if ability.remedy and word != "works":
            lines.append(("", f"           {'':<21}  remedy: {ability.remedy}"))
            if ability.degradable and not ability.works:
                lines.append(("quiet", f"           {'':<21}  or go on without it: --allow-degraded {ability.name}"))
    landlock = landlock_abi()
    version = f"version {landlock}" if landlock else "none"
    lines.append(("quiet", f"  landlock: {version} (told only; nothing needs it)"))
    summary = {
        "strict": "every mechanism of the design is there",
        "standard": "sandboxes can be made, some by weaker mechanisms or only where the gaps are accepted",
        "none": "no sandbox can be made here until the gaps are closed",
    }[_level(abilities)]
    lines += [("", ""), ("good" if ok else "bad", summary)]
    out.lines(lines)
    return 0 if ok else 1


def _level(abilities: list[Ability]) -> str:
    """The best isolation_level that a record of this host can tell (contracts 2.8)."""
    if any(not ability.works and not ability.degradable for ability in abilities):
        return "none"
    return "standard" if any(not ability.works or ability.weaker for ability in abilities) else "strict"


def _told(abilities: list[Ability], *, ok: bool) -> dict[str, Any]:
    tools = find_tools()
    return {
        "ok": ok,
        "isolation_level": _level(abilities),
        "abilities": [
            {
                "name": ability.name,
                "works": ability.works,
                "weaker": ability.weaker,
                "degradable": ability.degradable,
                "found": ability.found,
                "remedy": ability.remedy,
            }
            for ability in abilities
        ],
        "landlock_abi": landlock_abi(),
        "node_version": tools.node_version,
        "npm_version": tools.npm_version,
        "not_claimed": list(NOT_CLAIMED),
    }
