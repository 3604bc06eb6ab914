"""Writes a bill of materials (CycloneDX 1.6, JSON) of the pinned packages, and of the Java archives within them.

The same installation gives the same bytes: there is no time in it, and its serial number is made of its contents.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import uuid
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.pins import ROOT, pins

Json = dict[str, Any]
PRODUCT: Final = "mqtrail"
_NAMESPACE: Final = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
"""That of URLs, RFC 9562 appendix A."""
_MOST_TEXT: Final = 1 << 16


def bill_of_materials() -> Json:
    wanted = pins(ROOT / "constraints.txt")
    installed: dict[str, metadata.Distribution] = {canonicalize_name(one.name): one for one in metadata.distributions()}
    if differing := sorted(
        name for name, version in wanted.items() if name not in installed or installed[name].version != version
    ):
        raise SystemExit(f"not installed in the pinned version: {', '.join(differing)}; remove .venv and run make test")
    there = {name: installed[name] for name in sorted(wanted)}
    needs = {name: _needs(one, there) for name, one in (there | {PRODUCT: installed[PRODUCT]}).items()}
    required = _closure(PRODUCT, needs)
    components = [_component(one, required=name in required) for name, one in there.items()]
    bom: Json = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _component(installed[PRODUCT], kind="application")},
        "components": components,
        "dependencies": [
            {
                "ref": _ref(name, installed[name].version),
                "dependsOn": [_ref(one, wanted[one]) for one in sorted(needs[name])],
            }
            for name in sorted(needs)
        ],
    }
    digest = hashlib.sha256(json.dumps(bom, sort_keys=True).encode()).hexdigest()
    return bom | {"serialNumber": uuid.uuid5(_NAMESPACE, digest).urn}


def _needs(one: metadata.Distribution, there: dict[str, metadata.Distribution]) -> set[str]:
    """Of what is pinned; extras are what somebody else asks for."""
    found: set[str] = set()
    for line in one.requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            found.add(canonicalize_name(requirement.name))
            found |= _of_extras(requirement, there)
    return found & set(there)


def _of_extras(requirement: Requirement, there: dict[str, metadata.Distribution]) -> set[str]:
    asked = there.get(canonicalize_name(requirement.name))
    lines = [Requirement(line) for line in (asked.requires or ())] if asked and requirement.extras else []
    return {
        canonicalize_name(line.name)
        for line in lines
        for extra in requirement.extras
        if line.marker and line.marker.evaluate({"extra": extra}) and not line.marker.evaluate({"extra": ""})
    }


def _closure(name: str, needs: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for one in needs.get(waiting.pop(), set()) - found:
            found.add(one)
            waiting.append(one)
    return found


def _component(one: metadata.Distribution, *, kind: str = "library", required: bool = True) -> Json:
    name = canonicalize_name(one.name)
    component: Json = {
        "type": kind,
        "bom-ref": _ref(name, one.version),
        "name": name,
        "version": one.version,
        "purl": _ref(name, one.version),
    }
    if kind == "library":
        # CycloneDX's word for what only those who make the product have.
        component["scope"] = "required" if required else "excluded"
    if licenses := _licenses(one):
        component["licenses"] = licenses
    if archives := _archives(one):
        component["components"] = archives
    return component


def _ref(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def _licenses(one: metadata.Distribution) -> list[Json]:
    told = one.metadata
    if "License-Expression" in told:
        return [{"expression": told["License-Expression"]}]
    names = [text.rpartition(" :: ")[2] for text in told.get_all("Classifier") or () if text.startswith("License :: ")]
    (free, *_) = told.get_all("License") or [""]
    if not names and free and "\n" not in free:
        names = [free]
    return [{"license": {"name": name}} for name in sorted(set(names))]


def _archives(one: metadata.Distribution) -> list[Json]:
    """Java archives come inside of Python packages, and have their own authors and faults."""
    paths = [Path(str(one.locate_file(file))) for file in one.files or () if file.suffix == ".jar"]
    return [_archive(path) for path in sorted(paths)]


def _archive(path: Path) -> Json:
    data = path.read_bytes()
    group, name, version = _coordinates(path)
    purl = f"pkg:maven/{group}/{name}@{version}" if group else f"pkg:generic/{path.name}"
    digest = hashlib.sha256(data).hexdigest()
    return {
        "type": "library",
        "bom-ref": f"{purl}#{digest[:16]}",
        **({"group": group} if group else {}),
        "name": name or path.name,
        **({"version": version} if version else {}),
        "purl": purl,
        "hashes": [{"alg": "SHA-256", "content": digest}],
    }


def _coordinates(path: Path) -> tuple[str, str, str]:
    """What Maven wrote into the archive; of one that holds several, what bears its name."""
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if not entry.filename.endswith("/pom.properties") or entry.file_size > _MOST_TEXT:
                continue
            lines = archive.read(entry).decode("utf-8", "replace").splitlines()
            told = dict(line.strip().split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
            if path.name == f"{told.get('artifactId')}-{told.get('version')}.jar":
                return told.get("groupId", ""), told["artifactId"], told["version"]
    return "", "", ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.sbom", description=__doc__)
    parser.add_argument("out", type=Path, metavar="FILE", help="where to write it")
    out: Path = parser.parse_args().out
    bom = bill_of_materials()
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(bom, indent=1, sort_keys=True) + "\n")
    parts = bom["components"]
    archives = sum(len(one.get("components", ())) for one in parts)
    required = sum(one["scope"] == "required" for one in parts)
    print(f"{out}: {len(parts)} packages, {required} of them needed by a run, and {archives} Java archives")


if __name__ == "__main__":
    main()
