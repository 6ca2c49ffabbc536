#!/usr/bin/env python3
"""Renders docs/compat.md from what the tests left in .cache/compat.

  compat.py            writes the tables; one whose tests did not run stays as it is
  compat.py --check    fails when the file does not say what the tests of this run gave
  compat.py journey NAME BEFORE AFTER PASSED
                       notes the checks of an SDK's journey, and the routes that answered it: the
                       difference of two files with the server's metrics

`make compat` runs the tests first.
"""

import json
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
results = root / ".cache" / "compat"
page = root / "docs" / "compat.md"

TRACES, GRPC = "/api/public/otel/v1/traces", "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

# journey, SDK, where its version is pinned, the form of its spans
journeys = [
    ("python", "Python", "python/requirements.txt", "OTLP protobuf"),
    ("py4", "Python", "legacy/requirements-py4.txt", "OTLP protobuf"),
    ("py3", "Python", "legacy/requirements-py3.txt", "OTLP protobuf"),
    ("py2", "Python", "legacy/requirements-py2.txt", ""),
    ("js", "JavaScript", "js/package.json", "OTLP JSON"),
    ("js4", "JavaScript", "legacy/package-js4.json", "OTLP JSON"),
    ("js3", "JavaScript", "legacy/package-js3.json", ""),
]
# column, routes
endpoints = [
    ("OTLP protobuf", [TRACES]),
    ("OTLP JSON", [TRACES]),
    ("OTLP gRPC", [GRPC]),
    ("`/ingestion`", ["/api/public/ingestion"]),
    ("`/media`", ["/api/public/media", "/api/public/media/{mediaId}", "/api/public/media/{mediaId}/content"]),
    ("`/v2/observations`", ["/api/public/v2/observations"]),
    ("`/projects`", ["/api/public/projects"]),
    ("`/health`", ["/api/public/health"]),
]


def read(name):
    file = results / (name + ".json")
    return json.loads(file.read_text()) if file.exists() else None


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(r) + " |" for r in rows])


def conventions():
    got = read("conventions")
    if got is None:
        return None
    rows = []
    for name in got["conventions"]:
        counts = got["equal"].get(name, {})
        rows.append([name] + [str(counts.get(c) or "") for c in got["columns"]] + [str(sum(counts.values()) or "")])
    total = [sum(c.get(column, 0) for c in got["equal"].values()) for column in got["columns"]]
    rows.append(["all"] + [str(n) for n in total + [sum(total)]])
    said = "%d values of %d rows: %d in answers, %d in mapped rows. %d more say that a field is empty, and it is." % (
        sum(total), got["rows"], got["answers"], got["mapped"], got["empty"])
    return table(["Convention"] + got["columns"] + ["all"], rows) + "\n\n" + said


def exporters():
    got = read("conventions")
    if got is None:
        return None
    forms = sorted({form for counts in got["requests"].values() for form in counts})
    rows = [[who] + [str(counts.get(form) or "") for form in forms] for who, counts in sorted(got["requests"].items())]
    return table(["Sender"] + forms, rows)


def version(pinned):
    text = (root / "e2e" / "sdk" / pinned).read_text()
    return re.search(r'(?:^langfuse==|"(?:@langfuse/client|langfuse)": ")([0-9.]+)', text, re.M)[1]


def sdks(old):
    """The rows of journeys that ran, and the old rows of the others."""
    if not any(read("sdk-" + name) for name, *_ in journeys):
        return None
    kept = {line.split(" | ")[0].strip("| "): line for line in old.splitlines()}
    lines = table(["SDK"] + [name for name, _ in endpoints] + ["checks"], []).splitlines()
    for name, language, pinned, form in journeys:
        title, got = language + " " + version(pinned), read("sdk-" + name)
        if got is None:
            lines += [kept[title]] if title in kept else []
            continue
        cells = [title]
        for column, routes in endpoints:
            called = any(route in got["routes"] for route in routes)
            if routes == [TRACES] and column != form:
                called = False
            cells.append("yes" if called else "")
        lines.append("| " + " | ".join(cells + [str(got["passed"])]) + " |")
    return "\n".join(lines)


def answered(file):
    """How often each route answered with success; 204 is for preflights of browsers."""
    pattern = r'^sonde_http_requests_total\{route="([^"]*)",status="2(?!04)\d\d"\} (\S+)$'
    counts = {}
    for route, n in re.findall(pattern, Path(file).read_text(), re.M):
        counts[route] = counts.get(route, 0) + float(n)
    return counts


def journey(name, before, after, passed):
    results.mkdir(parents=True, exist_ok=True)
    old, new = answered(before), answered(after)
    routes = sorted(r for r, n in new.items() if n > old.get(r, 0))
    text = json.dumps({"passed": int(passed), "routes": routes}, indent=2)
    (results / ("sdk-%s.json" % name)).write_text(text + "\n")


def main(arguments):
    if arguments[:1] == ["journey"]:
        return journey(*arguments[1:])
    text = page.read_text()
    parts = re.split(r"(<!-- (?:begin|end) \w+ -->\n)", text)
    checked = []
    for i, part in enumerate(parts):
        begin = re.fullmatch(r"<!-- begin (\w+) -->\n", part)
        if not begin:
            continue
        name, old = begin[1], parts[i + 1].strip("\n")
        new = {"conventions": conventions, "exporters": exporters, "sdks": lambda old=old: sdks(old)}[name]()
        if new is None:
            print("%s: the tests did not run" % name)
            continue
        checked.append((name, old == new))
        parts[i + 1] = "\n" + new + "\n\n"
    if arguments != ["--check"]:
        page.write_text("".join(parts))
        return 0
    for name, good in checked:
        print("%-4s  %s" % ("ok" if good else "FAIL", name))
    bad = sum(not good for _, good in checked)
    if bad:
        print("docs/compat.md does not say what the tests gave: run make compat, and read the diff")
    print("%d passed, %d failed" % (len(checked) - bad, bad))
    return 1 if bad or not checked else 0


sys.exit(main(sys.argv[1:]))
