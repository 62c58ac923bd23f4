"""Strategies for JSON values, ordinary and unpleasant."""

from __future__ import annotations

import string
from typing import Any

from hypothesis import strategies as st

from affidavit.values import MAX_SAFE_INTEGER

_UNPLEASANT = '\x00\x1f\x7f"\\/\u00e9\u2028\ud7ff\ue000\uffff\U00010000\U0010ffff\ufeff'

texts = st.one_of(
    st.text(st.sampled_from(string.ascii_letters + "_:, {}[]0e.+-"), max_size=8),
    st.text(st.sampled_from(_UNPLEASANT), max_size=4),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
)

doubles = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 1e16, 1e20, 1e21, 1e-6, 1e-7, 5e-324, 1.7976931348623157e308, -(2.0**70)]),
)

integers = st.one_of(
    st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER), st.sampled_from([0, -1, 1, MAX_SAFE_INTEGER, -MAX_SAFE_INTEGER])
)

scalars = st.one_of(st.none(), st.booleans(), integers, doubles, texts)


def json_values(*, max_leaves: int = 12) -> st.SearchStrategy[Any]:
    """Any JSON value that the strict reader could have read."""
    return st.recursive(
        scalars,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
        max_leaves=max_leaves,
    )
