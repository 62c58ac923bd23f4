"""The pack: what no vector can show (seed 004; contracts 2.10)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.jcs import canonical
from affidavit.contracts.pack import MEMBERS, META, examine_pack
from affidavit.rules.model import Finding
from affidavit.rules.report import as_json
from tests.properties.test_total import container_of, places
from tests.support.packs import PACKS, InMemory, examined, opened
from tests.support.values import json_values

LEVELS = ("spec", "compat", "strict")


@pytest.mark.parametrize("name", PACKS)
def test_each_member_is_read_once(name: str) -> None:
    manifest, reader = opened(PACKS[name]())
    assert examine_pack(manifest, reader).ok
    assert reader.times_read == dict.fromkeys(reader.members, 1)


@given(data=st.data())
def test_PK10_violations_are_sorted(data: st.DataObject) -> None:
    """Whatever is wrong with however many members, by UTF-16 code units: PK12 stands before PK2."""
    pack = PACKS[data.draw(st.sampled_from(sorted(PACKS)))]()
    for name in data.draw(st.sets(st.sampled_from(MEMBERS))):
        pack["members"][name] = {"hex": data.draw(json_values().map(canonical)).hex()}
    for name in data.draw(st.sets(st.sampled_from(["z", "\ue000", "\U00010000", "a\\b"]))):
        pack.setdefault("kinds", {})[name] = data.draw(st.sampled_from(["directory", "symlink", "FIFO"]))
    findings = examined(pack, data.draw(st.sampled_from(LEVELS))).findings
    assert list(findings) == sorted(findings, key=Finding.key)
    told = [(finding.rule_id, finding.path, finding.message) for finding in findings]
    assert told == sorted(told, key=lambda texts: [text.encode("utf-16-be", "surrogatepass") for text in texts])


@given(meta=json_values(max_leaves=30), name=st.sampled_from(sorted(PACKS)), level=st.sampled_from(LEVELS))
def test_PK11_nothing_in_meta_counts(meta: Any, name: str, level: Any) -> None:
    pack = PACKS[name]()
    pack["members"].pop(META, None)
    without = examined(pack, level)
    pack["members"][META] = {"hex": canonical(meta).hex()}
    with_it = examined(pack, level)
    assert with_it.findings == without.findings == ()
    assert {*with_it.facts["files_verified"]} == {*without.facts["files_verified"], META}
    assert with_it.facts["reference_checks"] == without.facts["reference_checks"]


@given(data=st.data())
def test_any_value_in_place_of_any_member_of_any_document_gives_a_report(data: st.DataObject) -> None:
    pack = PACKS[data.draw(st.sampled_from(sorted(PACKS)))]()
    member = data.draw(st.sampled_from(sorted(pack["members"])))
    if data.draw(st.booleans()):
        pack["members"][member] = {"hex": data.draw(json_values().map(canonical) | st.binary(max_size=40)).hex()}
    else:
        place = data.draw(st.sampled_from(list(places(pack["members"][member]))))
        container_of(pack["members"][member], place)[place[-1]] = data.draw(json_values())
    report = examined(pack, data.draw(st.sampled_from(LEVELS)))
    assert as_json(report)["ok"] is report.ok


#: What one member of a pack may lose without any rule of the pack objecting at `spec`: a pack asks for basic forms of
#: evidence and policy, and every change of the bundle is found by its hash.
_FOUND_BY_HASH = "bundle.json"


@pytest.mark.parametrize("name", PACKS)
def test_every_change_of_the_bundle_is_found(name: str) -> None:
    pack = PACKS[name]()
    if _FOUND_BY_HASH not in pack["members"]:
        return
    for place in places(pack["members"][_FOUND_BY_HASH]):
        changed = copy.deepcopy(pack)
        del container_of(changed["members"][_FOUND_BY_HASH], place)[place[-1]]
        assert not examined(changed).ok, place


@pytest.mark.parametrize("name", PACKS)
def test_what_is_read_in_pieces_is_what_is_read_at_once(name: str) -> None:
    pack = PACKS[name]()
    manifest, whole = opened(pack)
    wanted = as_json(examine_pack(manifest, whole))
    for piece in (1, 7, 100):
        assert as_json(examine_pack(manifest, InMemory(whole.members, piece))) == wanted
