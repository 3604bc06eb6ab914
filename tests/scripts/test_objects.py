"""Security descriptors, properties, format names and searches, in scripts over qmcomm and dscomm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.scripts.descriptors import USUAL
from tests.scripts.identities import LICENCE
from tests.scripts.typed_rows import typed
from tests.scripts.words import handle

if TYPE_CHECKING:
    from pathlib import Path


def test_security_descriptors(tmp_path: Path) -> None:
    created, without = typed(tmp_path, "R_QMCreateObjectInternal", "R_QMCreateObjectInternal descriptor=null")
    assert bytes(created["request"]["pSecurityDescriptor"]) == USUAL
    assert (created["request"]["SDSize"], without["request"]["SDSize"]) == (len(USUAL), 0)
    assert without["request"]["pSecurityDescriptor"] is None
    found, small, refused = typed(
        tmp_path,
        "S_DSGetObjectSecurity nLength=200",
        "S_DSGetObjectSecurity nLength=8 -> status=MQ_ERROR_SECURITY_DESCRIPTOR_TOO_SMALL",
        "S_DSGetObjectSecurity -> status=MQ_ERROR_ACCESS_DENIED",
    )
    assert bytes(found["response"]["pSecurityDescriptor"]) == USUAL.ljust(200, b"\0")
    assert (len(small["response"]["pSecurityDescriptor"]), small["response"]["lpnLengthNeeded"]) == (8, len(USUAL))
    assert (refused["response"]["lpnLengthNeeded"], refused["response"]["pdwServerSignatureSize"]) == (0, 0)
    empty = "01000080" + "00" * 16
    (changed,) = typed(tmp_path, f"S_DSSetObjectSecurityGuid pGuid=q1 descriptor={empty}")
    assert (changed["request"]["pGuid"], changed["request"]["nLength"]) == (handle("q1"), 20)
    assert bytes(changed["request"]["pSecurityDescriptor"]).hex() == empty


def test_properties_have_their_types(tmp_path: Path) -> None:
    created, asked, typed_by_hand = typed(
        tmp_path,
        'R_QMCreateObjectInternal aProp=[PROPID_Q_LABEL, PROPID_Q_JOURNAL, 9999] apVar=["a", 1, 7]',
        "R_QMGetObjectProperties aProp=[PROPID_Q_PATHNAME, PROPID_Q_INSTANCE, PROPID_Q_BASEPRIORITY]",
        "R_QMSetObjectProperties aProp=[PROPID_Q_QUOTA] apVar=[5] vt=[VT_UI8]",
    )
    assert [one["vt"] for one in created["request"]["apVar"]] == [31, 17, 19]
    assert [one["vt"] for one in asked["request"]["apVar"]] == [1, 1, 1]
    assert [one["vt"] for one in asked["response"]["apVar"]] == [31, 72, 2]
    assert [one["vt"] for one in typed_by_hand["request"]["apVar"]] == [21]


def test_paths_to_format_names(tmp_path: Path) -> None:
    found, chosen, failed = typed(
        tmp_path,
        "R_QMObjectPathToObjectFormat",
        r'R_QMObjectPathToObjectFormat -> queue="OS:hq\private$\a"',
        "R_QMObjectPathToObjectFormat -> status=MQ_ERROR_QUEUE_NOT_FOUND",
    )
    assert found["request"]["pObjectFormat"]["pQueueFormat"]["m_qft"] == 0
    assert found["response"]["pObjectFormat"]["pQueueFormat"]["m_oPrivateID"] == {"Lineage": LICENCE, "Uniquifier": 15}
    assert chosen["response"]["pObjectFormat"]["pQueueFormat"]["m_pDirectID"] == "OS:hq\\private$\\a"
    assert failed["response"]["pObjectFormat"]["pQueueFormat"]["m_qft"] == 0


def test_searches_of_the_directory(tmp_path: Path) -> None:
    begun, several, one, none = typed(
        tmp_path,
        "S_DSLookupBegin pColumns=[PROPID_Q_LABEL, PROPID_Q_QUOTA] pRestriction=[[PRGT, PROPID_Q_QUOTA, 10]] "
        "pSort=[[PROPID_Q_LABEL, QUERY_SORTDESCEND]]",
        'S_DSLookupNext dwSize=6 -> pbBuffer=["a", 1, "b", 2]',
        "S_DSLookupNext",
        "S_DSLookupNext -> pbBuffer=[]",
    )
    asked = begun["request"]
    assert asked["pColumns"] == {"cCol": 2, "aCol": [108, 105]}
    assert asked["pSort"] == {"cCol": 1, "aCol": [{"propColumn": 108, "dwOrder": 1}]}
    (restriction,) = asked["pRestriction"]["paPropRes"]
    assert (restriction["rel"], restriction["prop"], restriction["prval"]["vt"]) == (2, 105, 19)
    assert [[item["vt"] for item in row["response"]["pbBuffer"]] for row in (several, one, none)] == [
        [31, 19, 31, 19],
        [31, 19],
        [],
    ]
    assert [row["response"]["dwOutSize"] for row in (several, one, none)] == [4, 2, 0]
    (everything,) = typed(tmp_path, "S_DSLookupBegin pRestriction=null")
    assert (everything["request"]["pRestriction"], everything["request"]["pSort"]) == (None, None)
