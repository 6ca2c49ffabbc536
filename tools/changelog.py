#!/usr/bin/env python3
"""Gathers the notes in changes/ into a release's part of CHANGELOG.md.

tools/changelog.py VERSION [NOTE...]   moves all notes, or only these, into the part of VERSION
tools/changelog.py --check             reads every note and says what is wrong with it

The date is that of RELEASES, or today's when the release is not listed there yet.
"""

import datetime
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
log, folder = root / "CHANGELOG.md", root / "changes"
kinds = ["security", "removed", "changed", "added", "fixed"]  # what needs a reader's hand first
areas = "ingest query api ui auth engine log store config cli deploy docs".split()
head = "# Changes\n\nReleases, newest first. What comes next is in [changes](changes/README.md).\n"


def read(path):
    """Kind, area and text of a note."""
    match = re.fullmatch(r"kind: (\w+)\narea: (\w+)\n\n(.+\S)\n*", path.read_text(), re.S)
    if not match:
        raise ValueError(f"{path.name}: not of the form that changes/README.md shows")
    kind, area, text = match.groups()
    if kind not in kinds or area not in areas:
        raise ValueError(f"{path.name}: kind {kind} or area {area} is none of those in changes/README.md")
    return kind, area, text


def part(version, notes):
    """The text of a release."""
    lines = [f"## {version} ({date(version)})\n"]
    for kind in kinds:
        found = sorted((area, text) for k, area, text in notes if k == kind)
        if found:
            lines.append(f"### {kind.capitalize()}\n")
            lines += [f"- **{area}**: {text}".replace("\n", "\n  ").replace("\n  \n", "\n\n") for area, text in found]
            lines.append("")
    return "\n".join(lines)


def date(version):
    released = re.search(rf"^{re.escape(version)} \w+ (\S+)$", (root / "RELEASES").read_text(), re.M)
    return released[1] if released else datetime.datetime.now(datetime.timezone.utc).date().isoformat()


def main(arguments):
    paths = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    if arguments == ["--check"]:
        print(f"{len([read(path) for path in paths])} notes")
        return
    version, *names = arguments
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ValueError(f"{version} is no version like 1.2.3")
    paths = [folder / name for name in names] or paths
    if not paths:
        raise ValueError("there are no notes to gather")
    old = log.read_text().removeprefix(head) if log.exists() else ""
    if f"\n## {version} " in old:
        raise ValueError(f"CHANGELOG.md has a part for {version} already")
    log.write_text(head + "\n" + part(version, [read(path) for path in paths]) + old)
    for path in paths:
        path.unlink()
    print(f"{len(paths)} notes are in CHANGELOG.md under {version} now")


try:
    main(sys.argv[1:])
except (ValueError, OSError) as problem:
    sys.exit(f"changelog: {problem}")
