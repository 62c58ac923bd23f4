"""affidavit: what exactly ran, under which rules, and can you prove it?

The library's names are loaded when they are used: `import affidavit` costs nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .canon.jcs import canonical as canonical
    from .canon.reader import read as read
    from .contracts.apply import verify_apply as verify_apply
    from .contracts.bundle import verify_bundle as verify_bundle
    from .contracts.evidence import verify_evidence as verify_evidence
    from .contracts.git_apply import verify_git_apply as verify_git_apply
    from .contracts.intent import verify_intent as verify_intent
    from .contracts.ledger import verify_ledger as verify_ledger
    from .contracts.model_io import verify_model_io as verify_model_io
    from .contracts.patch import verify_patch as verify_patch
    from .contracts.policy import verify_policy as verify_policy
    from .contracts.proposal import verify_proposal as verify_proposal
    from .contracts.run import verify_run as verify_run
    from .contracts.runner import verify_runner as verify_runner
    from .engine.bundle import verify_engine_bundle as verify_engine_bundle
    from .engine.check import check_engine as check_engine
    from .engine.run import run_engine as run_engine
    from .engine.sealing import seal_output as seal_output
    from .errors import AffidavitError as AffidavitError
    from .errors import ParseError as ParseError
    from .errors import UnsupportedValue as UnsupportedValue
    from .harness.run import run_intent as run_intent
    from .packs.apply import apply_pack as apply_pack
    from .packs.export import export_pack as export_pack
    from .packs.git_apply import git_apply as git_apply
    from .packs.verify import verify_pack as verify_pack
    from .replay.engine import replay_engine as replay_engine
    from .rules.model import Finding as Finding
    from .rules.model import Report as Report
    from .runtime.promotion import emit_promotion_packet as emit_promotion_packet
    from .runtime.promotion import verify_promotion as verify_promotion
    from .runtime.run import run_plan as run_plan
    from .store.reader import load_bundle as load_bundle
    from .store.reader import open_bundle_unverified as open_bundle_unverified
    from .store.reindex import reindex_bundle as reindex_bundle

#: Each public name and the module it lives in.
_HOMES = {
    "AffidavitError": "errors",
    "Finding": "rules.model",
    "ParseError": "errors",
    "Report": "rules.model",
    "UnsupportedValue": "errors",
    "apply_pack": "packs.apply",
    "canonical": "canon.jcs",
    "export_pack": "packs.export",
    "git_apply": "packs.git_apply",
    "check_engine": "engine.check",
    "emit_promotion_packet": "runtime.promotion",
    "load_bundle": "store.reader",
    "open_bundle_unverified": "store.reader",
    "read": "canon.reader",
    "run_plan": "runtime.run",
    "reindex_bundle": "store.reindex",
    "run_intent": "harness.run",
    "replay_engine": "replay.engine",
    "run_engine": "engine.run",
    "seal_output": "engine.sealing",
    "verify_apply": "contracts.apply",
    "verify_bundle": "contracts.bundle",
    "verify_engine_bundle": "engine.bundle",
    "verify_evidence": "contracts.evidence",
    "verify_git_apply": "contracts.git_apply",
    "verify_intent": "contracts.intent",
    "verify_ledger": "contracts.ledger",
    "verify_model_io": "contracts.model_io",
    "verify_patch": "contracts.patch",
    "verify_pack": "packs.verify",
    "verify_policy": "contracts.policy",
    "verify_promotion": "runtime.promotion",
    "verify_proposal": "contracts.proposal",
    "verify_run": "contracts.run",
    "verify_runner": "contracts.runner",
}

__all__ = [
    "AffidavitError",
    "Finding",
    "ParseError",
    "Report",
    "UnsupportedValue",
    "__version__",
    "apply_pack",
    "canonical",
    "check_engine",
    "emit_promotion_packet",
    "export_pack",
    "git_apply",
    "load_bundle",
    "open_bundle_unverified",
    "read",
    "reindex_bundle",
    "replay_engine",
    "run_engine",
    "run_intent",
    "run_plan",
    "seal_output",
    "verify_apply",
    "verify_bundle",
    "verify_engine_bundle",
    "verify_evidence",
    "verify_git_apply",
    "verify_intent",
    "verify_ledger",
    "verify_model_io",
    "verify_pack",
    "verify_patch",
    "verify_policy",
    "verify_promotion",
    "verify_proposal",
    "verify_run",
    "verify_runner",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
