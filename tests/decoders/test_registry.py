"""One table of interfaces: what is declared and what is looked for agree with it."""

from __future__ import annotations

import uuid

import pytest

from decoders.dcerpc import well_known
from decoders.interfaces import INTERFACES, declaring, interface_of
from decoders.registry import BY_NAME, EPM, QM2QM, REGISTRY, Family, registered
from schemas.exports.zeek_names import OTHERS


def test_declarations_are_the_registry_s() -> None:
    for one in INTERFACES.values():
        known = REGISTRY[one.uuid]
        assert (one.name, one.version) == (known.name, known.version)
        assert not one.base or one.base == known.base
    undeclared = {one.uuid for one in REGISTRY.values() if one.family is Family.MSMQ_COM}
    assert INTERFACES.keys() == REGISTRY.keys() - undeclared


def test_operations_of_a_base_are_found() -> None:
    dispatch, message = BY_NAME["IDispatch"], BY_NAME["IMSMQMessage"]
    assert declaring(message.uuid, 6) == dispatch.uuid
    assert declaring(message.uuid, 7) is None
    assert declaring(QM2QM.uuid, 6) == QM2QM.uuid
    assert declaring(str(uuid.UUID(int=7)), 6) is None
    bases = {one.base for one in REGISTRY.values() if one.base} - {"IUnknown"}
    assert bases <= BY_NAME.keys(), "IUnknown's calls never travel"


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
    assert interface_of(BY_NAME["IMSMQMessage"].uuid, "0.0") is None
    assert registered(EPM.uuid, "1.0") is None
