#!/usr/bin/env python3
"""Prints what is inside a release as a CycloneDX document.

tools/sbom.py VERSION COMMIT PROGRAM...

The modules are those that the programs say they were built from, the packages those that ui/package-lock.json has for
the web interface and not only for building it. The engine is not in the program, but what it is tested with.
"""

import base64
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

root = pathlib.Path(__file__).resolve().parent.parent
version, commit, *programs = sys.argv[1:]


def modules():
    """Name and version of each module, with its sum, and the toolchain."""
    found = {}
    for program in programs:
        text = subprocess.run(["go", "version", "-m", program], check=True, capture_output=True, text=True).stdout
        found["std", re.search(r": go(\S+)", text)[1]] = None
        for name, release, digest in re.findall(r"^\tdep\t(\S+)\t(\S+)\t(\S+)$", text, re.M):
            found[name, release] = digest
    for (name, release), digest in sorted(found.items()):
        purl = f"pkg:golang/{name}@{release}"
        yield component("library", name, release, purl, "SHA-256", digest and digest.removeprefix("h1:"))


def packages():
    lock = json.loads((root / "ui/package-lock.json").read_text())["packages"]
    for path, entry in sorted(lock.items()):
        if not path or entry.get("dev") or entry.get("optional") or entry.get("peer"):
            continue
        name = path.rpartition("node_modules/")[2]
        purl = f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}"
        algorithm, _, digest = entry["integrity"].partition("-")
        found = component("library", name, entry["version"], purl, algorithm.upper().replace("SHA", "SHA-"), digest)
        if entry.get("license"):
            found["licenses"] = [{"license": {"name": entry["license"]}}]
        yield found


def engines():
    for line in (root / "internal/engine/libraries.txt").read_text().splitlines():
        if line.startswith("#") or line.endswith(" -"):
            continue
        system, arch, name, release, digest = line.split()
        purl = f"pkg:npm/{name.replace('@', '%40')}@{release}"
        found = component("library", name, release, purl)
        found["scope"] = "optional"
        found["description"] = f"the engine's library for {system} on {arch}, with the sum of libchdb itself"
        found["hashes"] = [{"alg": "SHA-256", "content": digest}]
        yield found


def component(kind, name, release, purl, algorithm=None, digest=None):
    found = {"type": kind, "bom-ref": purl, "name": name, "version": release, "purl": purl}
    if digest:
        found["hashes"] = [{"alg": algorithm, "content": base64.b64decode(digest).hex()}]
    return found


built = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
purl = f"pkg:golang/github.com/sondehq/sonde@{version}"
parts = list({part["bom-ref"]: part for part in [*modules(), *packages(), *engines()]}.values())
document = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
    "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, purl + '#' + commit)}",
    "version": 1,
    "metadata": {
        "timestamp": built.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "component": {**component("application", "sonde", version, purl), "licenses": [{"license": {"id": "Apache-2.0"}}]},
        "properties": [{"name": "commit", "value": commit}],
    },
    "components": parts,
    "dependencies": [{"ref": purl, "dependsOn": sorted(part["bom-ref"] for part in parts)}],
}
print(json.dumps(document, indent=1, ensure_ascii=False))
