"""Shared by the Python journeys: plain HTTP reads, polling, one line per check.

CHECKS selects which checks count: comma-separated parts of their names, or @FILE for the lines of a
file that begin with the journey's name (JOURNEY) and a colon; unset counts all. What was not selected
is done, because later checks build on it, and neither shown nor counted.
"""
import base64
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

HOST = os.environ.get("LANGFUSE_HOST", "http://localhost:3000").rstrip("/")
_AUTH = "Basic " + base64.b64encode(f"{os.environ['LANGFUSE_PUBLIC_KEY']}:{os.environ['LANGFUSE_SECRET_KEY']}".encode()).decode()
FIELDS = "core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context"
_n = {"ok": 0, "bad": 0}


def _selection():
    text = os.environ.get("CHECKS", "")
    if text.startswith("@"):
        mine = os.environ["JOURNEY"] + ":"
        with open(text[1:], encoding="utf-8") as f:
            return True, {line[len(mine) :].strip() for line in f if line.startswith(mine)}
    return False, {p.strip() for p in text.split(",") if p.strip()} or None


_EXACT, _WANTED = _selection()
_used = set()


def _wanted(name):
    if _WANTED is None:
        return True
    by = {w for w in _WANTED if (w == name if _EXACT else w in name)}
    _used.update(by)
    return bool(by)


def get(path, **params):
    req = urllib.request.Request(HOST + path + ("?" + urllib.parse.urlencode(params) if params else ""), headers={"Authorization": _AUTH})
    try:
        with urllib.request.urlopen(req, timeout=5) as r:
            return json.load(r)
    except (urllib.error.URLError, ValueError) as e:
        return {"data": [], "error": str(e)}


def poll(fn, ok, seconds=5.0):
    """Calls fn until ok(result) holds or the time is over; returns the last result."""
    end = time.monotonic() + seconds
    while True:
        r = fn()
        if ok(r) or time.monotonic() >= end:
            return r
        time.sleep(0.1)


def observations(trace_id):
    return {o["id"]: o for o in get("/api/public/v2/observations", traceId=trace_id, fields=FIELDS, limit=100).get("data", [])}


def scores(trace_id):
    return {s["id"]: s for s in get("/api/public/v3/scores", traceId=trace_id, fields="details,subject", limit=100).get("data", [])}


def io(text):
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


def check(name, got, want=True):
    good = got == want
    if not _wanted(name):
        return good
    _n["ok" if good else "bad"] += 1
    print(("ok   " if good else "FAIL ") + name + ("" if good else f": got {got!r}, want {want!r}"))
    return good


def step(name, fn):
    """Runs an SDK call that must not raise."""
    try:
        r = fn()
    except Exception as e:  # noqa: BLE001
        check(name, f"{type(e).__name__}: {e}"[:300], "no exception")
        return None
    check(name, True)
    return r


def finish():
    for name in sorted(_WANTED - _used) if _EXACT else ():
        _n["bad"] += 1
        print(f"FAIL {name}: there is no such check")
    print(f"{_n['ok']} passed, {_n['bad']} failed")
    sys.stdout.flush()
    os._exit(1 if _n["bad"] else 0)
