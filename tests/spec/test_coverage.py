"""Every rule of every specification is checked, and every check is a rule of its specification."""

from __future__ import annotations

import ast
import os

import pytest

from tests.support.contracts import ROOT, contract_of, documents, headings
from tests.support.vectors import all_vectors

#: The seeds' and the contracts' rule ids, which the specifications must hold.
SERIES = {
    "runner": [f"RN{number}" for number in range(1, 13)],
    "policy": [f"PL{number}" for number in range(1, 8)],
    "intent": ["SCHEMA"],
    "run": [f"RS{number}" for number in range(1, 9)],
    "bundle": ["SCHEMA", *(f"BS{number}" for number in range(1, 9))],
    "evidence": [f"EV{number}" for number in range(1, 6)],
    "proposal": [f"PR{number}" for number in range(1, 13)],
    "patch": ["SCHEMA", *(f"PS{number}" for number in range(1, 11))],
    "ledger": [f"LD{number}" for number in range(1, 5)],
    "model_io": ["SCHEMA", *(f"MI{number}" for number in range(1, 13))],
    "pack": [f"PK{number}" for number in range(1, 13)],
    "apply": ["SCHEMA", *(f"AS{number}" for number in range(1, 13))],
    "git_apply": ["SCHEMA", *(f"GA{number}" for number in range(1, 13))],
    "artifact_index": ["SCHEMA", *(f"IX{number}" for number in range(1, 8))],
    "run_directory": [f"RD{number}" for number in range(1, 12)],
    "out_folder": ["OF1", "OF2"],
    "repair_log": ["SCHEMA", *(f"RL{number}" for number in range(1, 5))],
    "run_status": ["SCHEMA", *(f"ST{number}" for number in range(1, 5))],
    "engine_bundle": [f"R{number}" for number in range(1, 7)],
}

#: Rules about what the tool itself does: no document can break them, so a test of that name stands for each.
BEHAVIOUR = {
    "runner": {"RN11": "test_RN11_core_hash_excludes_timing_and_ephemeral", "RN12": "test_RN12_canonical_round_trip"},
    "policy": {
        "PL4": "test_PL4_strict_and_default_allow_no_model",
        "PL5": "test_PL5_recording_and_replaying_need_a_path",
        "PL6": "test_PL6_declared_work_beyond_a_limit_is_refused",
    },
    "run": {"RS7": "test_RS7_canonical_round_trip"},
    "bundle": {
        "BS2": "test_BS2_equal_bundles_have_equal_hashes",
        "BS8": "test_BS8_canonical_round_trip",
    },
    "engine_bundle": {
        "R6": "test_R6_another_version_or_another_file_is_not_replayed",
        "SCHEMA_VACUOUS": "test_a_schema_that_refuses_nothing_is_a_warning",
        "MEMBER_DIFFERS": "test_sealing_fails_closed",
        "UPSTREAM": "test_a_run_that_does_not_verify_is_no_source",
        "ENTRYPOINT": "test_an_engine_without_entrypoint_is_not_run",
        "ENGINE_FAILED": "test_what_fails_or_is_wrong_is_not_sealed",
        "ENGINE_CHANGED": "test_an_engine_that_changes_while_it_runs_is_not_sealed",
        "NOT_DETERMINISTIC": "test_two_runs_that_differ_are_not_sealed",
        "RUN_EXISTS": "test_a_run_that_exists_is_never_replaced",
    },
    "run_input": {"RI2": "test_RI2_the_hash_speaks_of_the_value_alone"},
    "evidence": {"EV5": "test_EV5_equal_cores_have_equal_hashes"},
    "patch": {"PS10": "test_PS10_violations_are_sorted"},
    "model_io": {
        "MI10": "test_MI10_violations_are_sorted",
        "MI12": "test_MI12_the_hash_speaks_of_the_core_alone",
    },
    "apply": {
        "AS3": "test_AS3_without_a_patch_it_is_refused",
        "AS4": "test_AS4_a_pack_that_does_not_verify_is_refused",
        "AS5": "test_AS5_the_target_is_a_real_directory_without_symlinks_on_the_way",
        "AS8": "test_AS8_a_dry_run_writes_nothing_and_tells_what_the_real_one_does",
        "AS10": "test_AS10_the_answer_is_canonical_and_the_same_each_time",
        "AS11": "test_AS11_applied_again_create_and_delete_refuse_and_modify_succeeds",
    },
    "git_apply": {
        "GA7": "test_GA7_a_dry_run_changes_nothing_and_tells_what_would_be",
        "GA8": "test_GA8_no_network_is_asked",
        "GA10": "test_GA10_a_commit_holds_our_own_paths_and_nothing_else",
        "GA11": "test_GA11_the_answer_is_canonical",
        "GA12": "test_GA12_the_hashes_are_of_the_bytes_written_whatever_autocrlf",
    },
    "pack": {"PK10": "test_PK10_violations_are_sorted", "PK11": "test_PK11_nothing_in_meta_counts"},
}

#: Rules that only a document of megabytes can break: no vector, but a test that makes one.
TOO_LARGE_FOR_A_VECTOR = {
    "model_io": {
        "MI4": "test_MI4_at_most_ten_thousand_interactions",
        "MI11": "test_MI11_responses_are_not_too_long",
    }
}

#: What no single document can show: the test that stands for it.
BEYOND_A_DOCUMENT = {"runner": {"RN2": "test_RN2_runner_ids_are_unique"}}

#: Rules about the form in which a document comes, and not about what it says.
OF_THE_FORM = {"pack": {"ZIP": "test_ZIP_an_archive_has_one_reading"}}

#: Rules that hold a document against another one.
AGAINST_ANOTHER = {
    "apply": {"AS6": "test_AS6_results_are_of_the_patchs_paths_and_no_others"},
    "git_apply": {"GA4": "test_GA4_changed_files_are_the_patchs_and_no_others"},
}

_TABLES: tuple[dict[str, dict[str, str]], ...] = (BEHAVIOUR, TOO_LARGE_FOR_A_VECTOR, OF_THE_FORM, AGAINST_ANOTHER)


def _test_names() -> set[str]:
    names: set[str] = set()
    for folder, _, files in os.walk(os.path.join(ROOT, "tests")):
        for file in files:
            if file.startswith("test_") and file.endswith(".py"):
                with open(os.path.join(folder, file), encoding="utf-8") as source:
                    names.update(
                        node.name for node in ast.walk(ast.parse(source.read())) if isinstance(node, ast.FunctionDef)
                    )
    return names


@pytest.mark.parametrize("document", documents())
def test_every_rule_of_the_specification_has_a_check_and_vectors(document: str) -> None:
    specified = set(headings(document))
    assert specified >= set(SERIES.get(document, ())), "the specification lacks rules of its series"
    vectors = [vector for vector in all_vectors() if vector.document == document]
    assert any(not vector.expected for vector in vectors), "no valid vector"
    found = {rule_id for vector in vectors for rule_id in vector.rule_ids}
    checked = {rule.id for rule in contract_of(document).rules}
    behaviour = {rule_id for table in _TABLES for rule_id in table.get(document, {})}
    assert checked == specified, "the contract's rules and the specification's are not the same"
    assert specified - found == behaviour - found, "rules without a failing vector"


@pytest.mark.parametrize("document", documents())
def test_every_finding_has_an_id_of_the_specification(document: str) -> None:
    found = {rule_id for vector in all_vectors() if vector.document == document for rule_id in vector.rule_ids}
    assert found <= set(headings(document))


def test_rules_about_behaviour_have_the_test_that_is_named_for_them() -> None:
    tables = (*_TABLES, BEYOND_A_DOCUMENT)
    named = {name for table in tables for tests in table.values() for name in tests.values()}
    assert named <= _test_names()


def test_every_document_that_has_rules_has_a_series_or_a_specification() -> None:
    assert set(SERIES) <= set(documents())
