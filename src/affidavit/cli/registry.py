"""The verbs: name, module, summary. A table, so that listing loads none of them; a test compares."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .args import Verb

#: What help lists, under headings and in this order. A name may have two words: `policy show`, `engine check`.
SECTIONS: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...] = (
    (
        "Run something, and look at what came of it",
        (
            ("run", "run", "run a command or an intent in the sandbox, and seal what happened"),
            ("show", "show", "show one run: what it was, what came of it, what it left"),
            ("ls", "ls", "list the runs of an out folder"),
            ("report", "report", "write an HTML page about a run, a pack, an engine run or a plan run"),
            ("diff", "diff", "compare two runs, packs or sealed runs of engines"),
            ("replay", "replay", "run something again from its evidence and compare"),
        ),
    ),
    (
        "Verify",
        (
            ("verify", "verify", "recognise what is at each path and verify it"),
            ("explain", "explain", "tell what a rule says"),
            ("schema", "schema", "write the JSON Schema of a document"),
            ("canonicalize", "canonicalize", "write JSON as its canonical bytes, check that it is, or hash it"),
        ),
    ),
    (
        "Hand over, and apply",
        (
            ("pack-export", "pack_export", "write the pack of a committed run, as a directory or a zip archive"),
            ("pack-apply", "pack_apply", "apply the patch of a pack to a directory, all of it or none"),
            ("git-apply", "git_apply", "apply the patch of a pack to a git repository, on a branch of its own"),
        ),
    ),
    (
        "Engines",
        (
            ("engine check", "engine_check", "check an engine's contracts"),
            ("engine run", "engine_run", "run an engine in the sandbox and seal what came of it"),
            ("engine seal", "engine_seal", "seal an output that an engine made elsewhere"),
        ),
    ),
    (
        "Policies, hosts and plans",
        (
            ("policy show", "policy_show", "show a built-in policy profile"),
            ("doctor", "doctor", "find out by trying what this host can isolate"),
            ("selftest", "selftest", "try to get out of the sandbox that a policy yields"),
            ("status", "status", "show what evidence can be made here"),
            ("plan list", "plan_list", "list the built-in plans"),
            ("plan describe", "plan_describe", "show what a plan would try, and what is expected"),
            ("plan lint", "plan_lint", "verify a plan with the registry it names"),
            ("plan run", "plan_run", "try what a plan asks under its profiles, and commit what was seen"),
            ("registry list", "registry_list", "list the registries of probes and profiles"),
            ("registry describe", "registry_describe", "show a registry's probes and profiles"),
            ("registry lint", "registry_lint", "verify the documents of registries"),
            ("emit-promotion", "emit_promotion", "write the promotion packet of a run"),
            ("promotion-verify", "promotion_verify", "judge a promotion packet again, from its run"),
        ),
    ),
    (
        "Keep house",
        (
            ("abandon", "abandon", "close a run whose writer is gone"),
            ("reindex-bundle", "reindex_bundle", "hold a run against its index, or make its index anew"),
            ("rm", "rm", "remove runs; their lines in the ledger stay"),
            ("gc", "gc", "remove all but the newest runs"),
        ),
    ),
    (
        "Verify one kind of document",
        (
            ("run-verify", "run_verify", "verify a run result (RS1-RS8)"),
            ("runner-verify", "runner_verify", "verify a runner record (RN1-RN12)"),
            ("bundle-verify", "bundle_verify", "verify a kernel bundle (BS1-BS8)"),
            ("patch-verify", "patch_verify", "verify a patch (PS1-PS10)"),
            ("evidence-verify", "evidence_verify", "verify an evidence record (EV1-EV5)"),
            ("ledger-verify", "ledger_verify", "verify a ledger and its chain (LD1-LD4)"),
            ("model-io-verify", "model_io_verify", "verify a recorded model session (MI1-MI12)"),
            ("policy-verify", "policy_verify", "verify a policy profile (PL1-PL7)"),
            ("pack-verify", "pack_verify", "verify a pack, a directory or a zip archive (PK1-PK12)"),
        ),
    ),
    (
        "The shell",
        (("completion", "completion", "write a completion script for bash, zsh or fish"),),
    ),
)

VERBS = tuple(verb for _, verbs in SECTIONS for verb in verbs)
MODULES = {name: module for name, module, _ in VERBS}


def all_verbs() -> list[tuple[Verb, str]]:
    """Every verb's table and its summary, in the order of help; for what is made of all of them."""
    from importlib import import_module

    return [(import_module(f"{__package__}.verbs.{module}").VERB, summary) for _, module, summary in VERBS]
