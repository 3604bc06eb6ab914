"""[MS-MQMR] 3.1.4.1: properties asked for, and the variants that come back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from decoders.msmq.properties import PROPERTIES
from decoders.msmq.variants import variant_text, variant_value, vt_name, vt_number
from pipelines.facts import vocabulary as v
from pipelines.rules.model import BOTH, REQUEST, Broken, Level, Party, Rule
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

Variant = dict[str, Any]
_VT_NULL, _VT_TEXT = vt_number("VT_NULL"), vt_number("VT_LPWSTR")
_NOTHING: Final = frozenset((_VT_NULL, vt_number("VT_EMPTY")))
_COUNTS: Final = range(1, 129)
_SESSION: Final = 3
_PROPIDS: Final = frozenset(propid for _, propid in PROPERTIES)

# [MS-MQMR] 3.1.4.1 gives a vector of VT_VARIANT, [MS-MQMQ] 2.3.12.27 one of VT_LPWSTR: either will do. All other types
# are the same in both documents.
_OTHER_TYPES: Final = {"PROPID_MGMT_QUEUE_SUBQUEUE_NAMES": vt_number("VT_VECTOR|VT_VARIANT")}

_ALWAYS_SET: Final = frozenset(
    f"PROPID_MGMT_{name}"
    for name in (
        *(f"MSMQ_{name}" for name in ("ACTIVEQUEUES", "PRIVATEQ", "CONNECTED", "TYPE")),
        *(f"QUEUE_{name}" for name in ("FORMATNAME", "TYPE", "LOCATION", "XACT", "FOREIGN", "STATE")),
        *(f"QUEUE_{name}" for name in ("MESSAGE_COUNT", "BYTES_IN_QUEUE", "BYTES_IN_JOURNAL")),
    )
)
"""What the tables set for every object of every product. Others hold nothing: the directory's server where there is no
directory (note <14>), path names of queues elsewhere, what only outgoing queues have, what older products lack."""


def _kind(step: CallStep) -> int:
    return int(step.request.get("pObjectFormat", {}).get("type", 0))


def _asked(step: CallStep) -> list[int]:
    asked: list[int] = step.request.get("aProp", [])
    return asked


def _count_range(step: CallStep) -> Answer:
    count = step.request.get("cp")
    return count in _COUNTS or Broken({"cp": count})


def _arrays_equal(step: CallStep) -> Answer:
    count, properties, variants = step.request.get("cp"), _asked(step), step.request.get("apVar", [])
    if count == len(properties) == len(variants):
        return True
    return Broken({"cp": count, "aProp": f"{len(properties)} elements", "apVar": f"{len(variants)} elements"})


def _property_known(step: CallStep) -> Answer:
    # A machine asked for a property of queues, or a queue for one of machines, is within the tables of 2.2.3.
    unknown = next((one for one in _asked(step) if one not in _PROPIDS), None)
    return unknown is None or Broken({"type": _kind(step), "aProp": unknown})


def _variants_null(step: CallStep) -> Answer:
    types = [one.get("vt") for one in step.request.get("apVar", [])]
    other = next((vt for vt in types if vt != _VT_NULL), None)
    return other is None or Broken({"apVar": vt_name(other)})


def _nothing_on_failure(step: CallStep) -> Answer:
    if step.call.fault is not None or not step.failed:
        return None
    sent = step.request.get("apVar", [])
    for place, variant in enumerate(step.response.get("apVar", [])):
        if variant.get("vt") in _NOTHING or sent[place : place + 1] == [variant]:
            continue
        return Broken({"status": code_shown(step.call.status), "apVar": vt_name(variant.get("vt", 0))})
    return True


def _answers(step: CallStep) -> Iterator[tuple[int, Variant]]:
    """Each property with its value, of a call that succeeded."""
    if step.succeeded and _kind(step) != _SESSION:
        yield from zip(_asked(step), step.response.get("apVar", []), strict=False)


def _allowed_types(kind: int, propid: int) -> frozenset[int]:
    """Nothing is the only answer about a property that such an object does not have."""
    known = PROPERTIES.get((kind, propid))
    if known is None:
        return _NOTHING
    types = frozenset((known.vt, _OTHER_TYPES.get(known.name, known.vt)))
    return types if known.name in _ALWAYS_SET else types | _NOTHING


def _answer_type(step: CallStep) -> Answer:
    judged: Answer = None
    for propid, variant in _answers(step):
        judged = True
        if variant.get("vt") not in _allowed_types(_kind(step), propid):
            return Broken({"property": _name(step, propid), "type": vt_name(variant.get("vt", 0))})
    return judged


def _answer_text(step: CallStep) -> Answer:
    judged: Answer = None
    for propid, variant in _answers(step):
        known = PROPERTIES.get((_kind(step), propid))
        if known is None or not known.values or variant.get("vt") != _VT_TEXT:
            continue
        judged = True
        # [MS-MQMR] writes "Unknown" where [MS-MQMQ] has "UNKNOWN": upper or lower case makes no difference.
        if str(variant_value(variant)).upper() not in known.values:
            return Broken({"property": known.name, "text": variant_text(variant)})
    return judged


def _name(step: CallStep, propid: int) -> str:
    known = PROPERTIES.get((_kind(step), propid))
    return str(propid) if known is None else known.name


_rule = partial(Rule, document="MS-MQMR", section="3.1.4.1", level=Level.LOW, keyword="MUST", operations=(v.GET_INFO,))
_client = partial(_rule, party=Party.CLIENT, needs=REQUEST)
_server = partial(_rule, party=Party.SERVER, needs=BOTH)

RULES: Final = (
    _client(
        "mqmr-count-range",
        "No property was asked for, or more than 128",
        requirement="cp is 1 to 128.",
        check=_count_range,
    ),
    _client(
        "mqmr-arrays-equal",
        "The arrays of properties and values are not as long as said",
        requirement="aProp and apVar have cp elements each.",
        check=_arrays_equal,
    ),
    _client(
        "mqmr-property-known",
        "A property was asked for that no object has",
        requirement="Each element of aProp is out of the tables: a property of machines or of queues.",
        check=_property_known,
    ),
    _client(
        "mqmr-variants-null",
        "A request for properties brings values along",
        requirement="apVar holds VT_NULL only when the call is made.",
        check=_variants_null,
    ),
    _server(
        "mqmr-nothing-on-failure",
        "A call that failed returned values",
        requirement="A call that fails sets no value: apVar comes back as it was sent, or empty.",
        keyword="MUST NOT",
        check=_nothing_on_failure,
    ),
    _server(
        "mqmr-answer-type",
        "A property came back with another type than its own",
        requirement="A property has the variant type of the tables; those that not every object has may be VT_NULL.",
        check=_answer_type,
    ),
    _server(
        "mqmr-answer-text",
        "A property came back with a text that it cannot have",
        requirement="CONNECTED of machines and TYPE, LOCATION, XACT, FOREIGN and STATE of queues are one of few texts.",
        check=_answer_text,
    ),
)
