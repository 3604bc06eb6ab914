"""One table of interfaces: what is declared and what is looked for agree with it."""

from __future__ import annotations

import uuid

import pytest

from decoders.dcerpc import well_known
from decoders.interfaces import INTERFACES, declaring, interface_of
from decoders.registry import BY_NAME, EPM, QM2QM, REGISTRY, Family, lineage, registered
from pipelines.rules.catalogue import RULES
from schemas.exports.zeek_names import OTHERS
from schemas.tables.hosts import ROLES


def test_declarations_are_the_registry_s() -> None:
    for one in INTERFACES.values():
        known = REGISTRY[one.uuid]
        assert (one.name, one.version, one.document) == (known.name, known.version, known.document)
        assert one.base == known.base or one.base in lineage(known.name)
    assert INTERFACES.keys() == REGISTRY.keys()


def test_operations_of_a_base_are_found() -> None:
    dispatch, message = BY_NAME["IDispatch"], BY_NAME["IMSMQMessage"]
    assert declaring(message.uuid, 6) == dispatch.uuid
    assert declaring(message.uuid, 7) == message.uuid
    assert declaring(message.uuid, 56) is None, "the second revision's"
    outgoing, management = BY_NAME["IMSMQOutgoingQueueManagement"], BY_NAME["IMSMQManagement"]
    assert (declaring(outgoing.uuid, 15), declaring(outgoing.uuid, 16)) == (management.uuid, outgoing.uuid)
    assert declaring(QM2QM.uuid, 6) == QM2QM.uuid
    assert declaring(str(uuid.UUID(int=7)), 6) is None
    bases = {one.base for one in REGISTRY.values() if one.base} - {"IUnknown"}
    assert bases <= BY_NAME.keys(), "IUnknown's calls never travel"


def test_a_derived_interface_has_its_lineage() -> None:
    assert lineage("IMSMQApplication3") == (
        *("IMSMQApplication3", "IMSMQApplication2", "IMSMQApplication", "IDispatch"),
        "IUnknown",
    )
    assert lineage("qm2qm") == ("qm2qm",)
    assert lineage("nobody's") == ("nobody's",)


def test_roles_are_those_of_hosts_and_native_interfaces_have_them() -> None:
    for one in REGISTRY.values():
        assert {one.served_as, one.called_as} - {""} <= ROLES.keys()
        assert bool(one.served_as) == (one.family in (Family.MSMQ, Family.MSMQ_COM, Family.ENDPOINT_MAPPER))
    sink = BY_NAME["_DMSMQEventEvents"]
    assert (sink.served_as, sink.called_as) == ("object_client", "object_server"), "events go the other way"


def test_judged_is_what_rules_have_operations_of() -> None:
    looked_at = {interface for rule in RULES for interface, _ in rule.operations}
    documents = {rule.document for rule in RULES if not rule.is_detection}
    assert {one.document for one in REGISTRY.values() if one.judged} <= documents
    assert {name for name in looked_at if not BY_NAME[name].judged} <= {"epm", "dscomm"}, "detections only"


def test_no_uuid_or_name_stands_for_two() -> None:
    assert len({one.name for one in REGISTRY.values()}) == len(REGISTRY)
    assert all(str(uuid.UUID(one)) == one for one in REGISTRY)
    assert REGISTRY.keys().isdisjoint(OTHERS)


def test_ports_are_those_of_the_interfaces_and_elevens_above() -> None:
    assert {one.port for one in REGISTRY.values() if one.port} <= well_known.PORTS
    assert {2103 + 11, 2105 + 99} <= well_known.PORTS
    assert 2105 + 110 not in well_known.PORTS


@pytest.mark.parametrize(
    ("version", "found"), [("1.0", QM2QM), ("1.7", QM2QM), ("2.0", None), ("10.0", None), ("0.1", None)]
)
def test_another_major_version_is_another_interface(version: str, found: object) -> None:
    assert registered(QM2QM.uuid, version) is found
    assert (interface_of(QM2QM.uuid, version) is not None) is (found is not None)


def test_what_is_not_known_has_no_declaration() -> None:
    assert interface_of(str(uuid.UUID(int=7)), "1.0") is None
    assert interface_of(BY_NAME["IMSMQMessage"].uuid, "1.0") is None
    assert registered(EPM.uuid, "1.0") is None
