"""The fields of the Elastic Common Schema that mqtrail writes, by their types in the field reference of ECS 9.5."""

from __future__ import annotations

from typing import Any

_CATEGORIES = (
    *("api", "authentication", "configuration", "database", "driver", "email", "file", "host", "iam"),
    *("intrusion_detection", "library", "malware", "network", "package", "process", "registry", "session", "threat"),
    *("vulnerability", "web"),
)
_TYPES = {
    "network": {"access", "allowed", "connection", "denied", "end", "info", "protocol", "start"},
    "intrusion_detection": {"allowed", "denied", "info"},
    "session": {"start", "end", "info"},
    "configuration": {"access", "change", "creation", "deletion", "info"},
}
_KEYWORD: dict[str, Any] = {"type": "string"}
_LONG = {"type": "integer", "minimum": 0}
_DATE = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$"}
_IP = {"type": "string", "anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}
_KEYWORDS = {"type": "array", "items": _KEYWORD, "uniqueItems": True, "minItems": 1}

_SIDE = {"address": _KEYWORD, "ip": _IP, "port": _LONG | {"maximum": 65535}, "bytes": _LONG, "packets": _LONG}
FIELDS: dict[str, Any] = {
    "@timestamp": _DATE,
    "message": {"type": "string"},
    "ecs.version": {"const": "9.5.0"},
    "event.module": _KEYWORD,
    "event.dataset": _KEYWORD | {"pattern": "^msmq\\."},
    "event.kind": {"enum": ["alert", "asset", "enrichment", "event", "metric", "pipeline_error", "signal", "state"]},
    "event.category": _KEYWORDS | {"items": {"enum": list(_CATEGORIES)}},
    "event.type": _KEYWORDS | {"items": {"enum": sorted(set().union(*_TYPES.values()))}},
    "event.id": _KEYWORD,
    "event.action": _KEYWORD,
    "event.outcome": {"enum": ["failure", "success", "unknown"]},
    "event.duration": _LONG,
    "event.start": _DATE,
    "event.end": _DATE,
    "event.severity": _LONG,
    **{
        f"{side}.{name}": kind for side in ("source", "destination", "client", "server") for name, kind in _SIDE.items()
    },
    "network.type": {"enum": ["ipv4", "ipv6"]},
    "network.transport": {"const": "tcp"},
    "network.iana_number": {"const": "6"},
    "network.protocol": _KEYWORD,
    "network.community_id": {"type": "string"},
    "network.bytes": _LONG,
    "network.packets": _LONG,
    "related.ip": _KEYWORDS | {"items": _IP},
    "related.user": {"type": "array", "items": {"type": "string"}},
    "user.name": {"type": "string"},
    "user.domain": {"type": "string"},
    "rule.id": {"type": "string"},
    "rule.name": {"type": "string"},
    "rule.category": _KEYWORD,
    "rule.ruleset": _KEYWORD,
    "threat.framework": _KEYWORD,
    "threat.technique.id": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    "threat.technique.subtechnique.id": {"type": "array", "items": {"type": "string"}, "minItems": 1},
}
OURS = "msmq"


def schema() -> dict[str, Any]:
    """Nothing but these, and our own below `msmq`."""
    root = _object()
    for name, kind in FIELDS.items():
        here = root
        *outer, last = name.split(".")
        for part in outer:
            here = here["properties"].setdefault(part, _object())
        here["properties"][last] = kind
    root["properties"][OURS] = {"type": "object"}
    root["required"] = ["@timestamp", "ecs", "event", "message"]
    return root


def fits(category: list[str], types: list[str]) -> bool:
    """Every type is allowed by one of the categories."""
    return set(types) <= set().union(*(_TYPES[one] for one in category))


def _object() -> dict[str, Any]:
    return {"type": "object", "properties": {}, "additionalProperties": False}
