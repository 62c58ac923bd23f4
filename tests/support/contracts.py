"""The contracts by the names of their specifications: docs/specs/<name>.md, affidavit.contracts.<name>."""

from __future__ import annotations

import importlib
import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from affidavit.rules.model import Contract, Report

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SPECS = os.path.join(ROOT, "docs", "specs")

#: Documents that are no single JSON value: several files, or lines.
SEVERAL = ("ledger", "pack", "engine_bundle", "run_directory", "out_folder")

#: A rule's heading in a specification: its id, a colon, its title.
_HEADING = re.compile(r"^### ([A-Z][A-Z0-9_]*): (.+)$", re.MULTILINE)


def documents() -> list[str]:
    """Every document that has a specification with rules, by the name of its module."""
    return sorted(
        name[:-3].replace("-", "_") for name in os.listdir(SPECS) if name.endswith(".md") and headings(name[:-3])
    )


def headings(document: str) -> dict[str, str]:
    """The rule ids of a specification with their titles."""
    with open(os.path.join(SPECS, document.replace("_", "-") + ".md"), encoding="utf-8") as file:
        return dict(_HEADING.findall(file.read()))


def contract_of(document: str) -> Contract:
    module = importlib.import_module(f"affidavit.contracts.{document}")
    contract: Contract = getattr(module, document.upper())
    return contract


def verifier_of(document: str) -> Callable[..., Report]:
    module = importlib.import_module(f"affidavit.contracts.{document}")
    verify: Callable[..., Report] = getattr(module, f"verify_{document}")
    return verify
