#!/usr/bin/env python3
"""Runs `go test` with the flags and packages given, and keeps the log readable.

Prints one line per package while it runs, then the slowest tests, the names of what failed or was skipped, their
output, and "N passed, N failed, N skipped". A test with subtests counts by its subtests. The first
report of a data race comes last: it fails every test that ran at the time, and says more than all of them.
Exit code 1 when anything failed, was skipped, or nothing ran. With --skips-are-fine, given first, what is skipped is only counted.

At most three tests that failed, without a race, a panic or a leak, are run once more, each alone, with the same flags: a machine that is busy
with something else fails tests that wait. What passes then is named as unsteady, for somebody to mend. Its package was
looked at for leaks only with that test: leaks are looked for where all passed.
"""

import json
import subprocess
import sys

MAX_AGAIN = 3
SLOW = 20  # seconds

results = {}  # (package, test) -> pass, fail or skip
took = {}  # (package, test) -> seconds, without subtests
output = {}  # (package, test or "") -> lines
race = []  # lines of the first report
unwell = []  # (fail or skip, (package, test or ""))
broken = set()  # packages that failed without a failing test: build errors, TestMain, timeouts, leaks


def parents(test):
    parts = test.split("/")
    return ("/".join(parts[:i]) for i in range(1, len(parts)))


def show(key):
    print("".join("    " + line for line in output.get(key, [])), end="")


def show_unwell():
    """Names first: who sees only the beginning of this knows what to run."""
    if unwell:
        print("--- failed or skipped")
    for action, (package, test) in unwell:
        print("%s  %s %s" % (action.upper(), package, test))
    for action, key in unwell:
        print("--- %s %s" % key)
        show(key)


arguments = sys.argv[1:]
lenient = arguments[:1] == ["--skips-are-fine"]
arguments = arguments[lenient:]
flags = [argument for argument in arguments if argument.startswith("-")]
go = subprocess.Popen(["go", "test", "-json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
for line in go.stdout:
    try:
        event = json.loads(line)
    except ValueError:
        print(line, end="")
        continue
    action, test = event.get("Action"), event.get("Test", "")
    package = event.get("Package") or event.get("ImportPath", "").split(" ")[0]
    key = (package, test)
    if action in ("output", "build-output"):
        racing = bool(race) and not race[-1].startswith("=====")
        if racing or (not race and "WARNING: DATA RACE" in event["Output"]):
            race.append(event["Output"])
        if not event["Output"].startswith("=== "):
            output.setdefault(key, []).append(event["Output"])
    elif action in ("pass", "fail", "skip") and test:
        results[key] = action
        if "/" not in test:
            took[key] = event.get("Elapsed", 0)
        if action == "pass" or (action == "skip" and lenient):
            output.pop(key, None)
        else:
            unwell.append((action, key))
    elif action in ("pass", "fail"):
        # A panic or a timeout leaves tests without a result.
        open_tests = [k for k in output if k[0] == package and k[1] and k not in results]
        print("%-4s  %s  %.1f s" % ("ok" if action == "pass" else "FAIL", package, event.get("Elapsed", 0)), flush=True)
        if action == "fail" and not any(k[0] == package and r == "fail" for k, r in results.items()):
            broken.add(package)
        if action == "fail":
            unwell += [("fail", k) for k in open_tests + [key]]
            build = event.get("FailedBuild", "").split(" ")[0]
            if build and build != package:  # a package we import does not build
                unwell.append(("fail", (build, "")))
if go.wait() != 0 and "fail" not in results.values() and not broken:
    broken.add("go test")  # it failed and named nothing: its own words are above

for (package, test), seconds in sorted(took.items(), key=lambda item: -item[1])[:20]:
    if seconds >= SLOW:
        print("slow  %s %s  %.0f s" % (package, test, seconds))

with_subtests = {(package, p) for package, test in results for p in parents(test)}
leaves = [r for k, r in results.items() if k not in with_subtests]
# A parent can fail on its own while its subtests pass.
own = [k for k in with_subtests if results.get(k) == "fail"
       and not any(r == "fail" and p == k[0] and t.startswith(k[1] + "/") for (p, t), r in results.items())]
show_unwell()
print("".join(race[:50]), end="")
passed, skipped = leaves.count("pass"), leaves.count("skip")
failed = leaves.count("fail") + len(own) + len(broken)


def passes_alone(package, test):
    again = subprocess.run(["go", "test", *flags, "-run", "^%s$" % test, package], capture_output=True, text=True)
    if again.returncode == 0:
        print("unsteady: %s %s failed once, and passed alone" % (package, test))
    else:
        print("--- again: %s %s\n%s" % (package, test, again.stdout[-4000:] + again.stderr[-4000:]))
    return again.returncode == 0


panicked = any(line.startswith("panic: ") for lines in output.values() for line in lines)
unsteady = sorted({(package, test.split("/")[0]) for (package, test), r in results.items() if r == "fail"})
if unsteady and len(unsteady) <= MAX_AGAIN and not (race or panicked or broken or (skipped and not lenient)):
    if all([passes_alone(*one) for one in unsteady]):
        passed, failed = passed + failed, 0
print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
sys.exit(1 if failed or (skipped and not lenient) or not passed else 0)
