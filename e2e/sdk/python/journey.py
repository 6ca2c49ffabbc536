"""Acceptance journey: the real Python SDK 5 against a running server.

Environment: SONDE_URL (or LANGFUSE_BASE_URL / LANGFUSE_HOST),
LANGFUSE_PUBLIC_KEY (or PUBLIC), LANGFUSE_SECRET_KEY (or SECRET).
CHECKS selects checks: comma-separated parts of their names, or @FILE for the
"python: NAME" lines of a file (JOURNEY names another word than python); unset runs all. A check that was not selected is
neither run nor counted; a line of the file that names no check is a failure. Checks build
on each other: "trace with every observation type is visible" sends what later ones read.
Prints one line per check and "N passed, N failed"; exit code 1 on any failure.
Every read waits at most WAIT seconds for visibility. A run leaves one dataset
and one experiment behind (names carry a random suffix); the rest is deleted.
"""

import base64
import gzip
import hashlib
import json
import math
import os
import sys
import time
import uuid
from datetime import date, datetime, timedelta, timezone
from urllib.parse import quote

URL = (os.environ.get("SONDE_URL") or os.environ.get("LANGFUSE_BASE_URL") or os.environ.get("LANGFUSE_HOST") or "").rstrip("/")
PUBLIC = os.environ.get("LANGFUSE_PUBLIC_KEY") or os.environ.get("PUBLIC") or ""
SECRET = os.environ.get("LANGFUSE_SECRET_KEY") or os.environ.get("SECRET") or ""
if not (URL and PUBLIC and SECRET):
    sys.exit("set SONDE_URL, LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY")
os.environ.update(LANGFUSE_BASE_URL=URL, LANGFUSE_PUBLIC_KEY=PUBLIC, LANGFUSE_SECRET_KEY=SECRET)
os.environ.setdefault("OTEL_SERVICE_NAME", "sonde-journey")

import httpx  # noqa: E402
from langfuse import Evaluation, Langfuse, propagate_attributes  # noqa: E402
from langfuse.api import LangfuseAPI, NotFoundError, UnauthorizedError  # noqa: E402
from langfuse.api import Error as BadRequest  # noqa: E402
from langfuse.media import LangfuseMedia  # noqa: E402

WAIT = 5.0
RUN = uuid.uuid4().hex[:8]
START = datetime.now(timezone.utc) - timedelta(minutes=1)
HEX = lambda s: hashlib.sha256(s.encode()).hexdigest()  # noqa: E731
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
) + RUN.encode()

http = httpx.Client(base_url=URL, auth=(PUBLIC, SECRET), timeout=10)
lf = Langfuse(environment="journey", release="rel-" + RUN)
passed = failed = 0


def selection():
    """What CHECKS asks for: names in full (from a file), parts of names, or None for all."""
    text = os.environ.get("CHECKS", "")
    if text.startswith("@"):
        with open(text[1:], encoding="utf-8") as f:
            mine = os.environ.get("JOURNEY", "python") + ":"
            return True, {line.split(":", 1)[1].strip() for line in f if line.startswith(mine)}
    parts = {p.strip() for p in text.split(",") if p.strip()}
    return False, parts or None


EXACT, WANTED = selection()
used = set()


def wanted(name):
    if WANTED is None:
        return True
    by = {w for w in WANTED if (w == name if EXACT else w in name)}
    used.update(by)
    return bool(by)


def check(name):
    """Run the decorated function now, if selected; a raised exception is a failed check."""

    def run(fn):
        global passed, failed
        if not wanted(name):
            return
        try:
            fn()
            passed += 1
            print("ok    " + name, flush=True)
        except Exception as e:  # noqa: BLE001
            failed += 1
            text = " ".join(str(e).split())
            print("FAIL  %s: %s: %s" % (name, type(e).__name__, text[:400]), flush=True)

    return run


def eq(got, want, what="value"):
    if got != want or (isinstance(want, bool) != isinstance(got, bool) and isinstance(want, (bool, int)) and isinstance(got, (bool, int))):
        raise AssertionError("%s: got %r, want %r" % (what, got, want))


def near(got, want, what="value"):
    if not isinstance(got, (int, float)) or isinstance(got, bool) or not math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-12):
        raise AssertionError("%s: got %r, want about %r" % (what, got, want))


def has(ok, what):
    if not ok:
        raise AssertionError(what)


def eventually(read, done, what):
    """Poll read() until done(result) holds; fail after WAIT seconds."""
    end = time.monotonic() + WAIT
    while True:
        error = None
        try:
            last = read()
            if done(last):
                return last
        except Exception as e:  # noqa: BLE001
            error, last = e, None
        if time.monotonic() >= end:
            raise AssertionError("%s not visible within %.0f s (last: %s)" % (what, WAIT, str(error or last)[:200]))
        time.sleep(0.1)


def get(path, status=200, auth=True, **params):
    r = http.get("/api/public/" + path, params=params) if auth else httpx.get(URL + "/api/public/" + path, params=params)
    eq(r.status_code, status, "status of GET %s %s (%s)" % (path, params, r.text[:160]))
    return r.json()


def post(path, body, status):
    r = http.post("/api/public/" + path, json=body)
    eq(r.status_code, status, "status of POST %s (%s)" % (path, r.text[:160]))
    return r.json() if r.content else None


def rejected(path, **params):
    """400 with a JSON body that has a message."""
    body = get(path, status=400, **params)
    has(isinstance(body, dict) and body.get("message"), "400 body without message: %r" % (body,))


def quoted(name):
    return quote(name, safe="")


def conds(*c):
    return json.dumps(list(c))


# --------------------------------------------------------------------------- service and auth
@check("health reports a version the SDK accepts")
def _():
    h = lf.api.health.health()
    eq(h.status, "OK", "status")
    has(tuple(int(x) for x in h.version.split(".")[:2]) >= (4, 55), "version %s below 4.55" % h.version)


@check("auth_check and project record")
def _():
    has(lf.auth_check(), "auth_check")
    p = lf.api.projects.get().data
    eq(len(p), 1, "projects")
    has(p[0].id and p[0].name and p[0].organization.id and isinstance(p[0].metadata, dict), "project fields")


PROJECT = ""
try:
    PROJECT = lf.api.projects.get().data[0].id
except Exception as e:  # noqa: BLE001
    print("no project id, stopping: %s" % e)
    print("%d passed, %d failed" % (passed, failed + 1))
    sys.exit(1)


@check("wrong secret is 401 with a JSON message")
def _():
    bad = LangfuseAPI(base_url=URL, username=PUBLIC, password="sk-lf-wrong", x_langfuse_sdk_name="python", x_langfuse_sdk_version="5.0.4", x_langfuse_public_key=PUBLIC)
    try:
        bad.projects.get()
    except UnauthorizedError as e:
        has(isinstance(e.body, dict) and e.body.get("message"), "body %r" % (e.body,))
    else:
        raise AssertionError("accepted")
    has(get("v2/observations", status=401, auth=False).get("message"), "message without credentials")


@check("unknown route is 404, wrong method is 405, both JSON")
def _():
    r = http.get("/api/public/no-such-route")
    eq(r.status_code, 404, "status")
    r.json()
    r = http.put("/api/public/v2/observations", json={})
    eq(r.status_code, 405, "status")
    r.json()


# --------------------------------------------------------------------------- OTLP over gRPC
@check("the OTLP gRPC exporter is taken, with and without compression")
def _():
    import grpc
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    key = base64.b64encode(("%s:%s" % (PUBLIC, SECRET)).encode()).decode()
    for compression in (grpc.Compression.NoCompression, grpc.Compression.Gzip):
        exporter = OTLPSpanExporter(endpoint=os.environ["SONDE_GRPC"], insecure=True, headers={"authorization": "Basic " + key}, compression=compression, timeout=5)
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        with provider.get_tracer("journey").start_as_current_span("over gRPC") as span:
            span.set_attribute("langfuse.observation.input", "hello")
        provider.shutdown()
        trace = format(span.get_span_context().trace_id, "032x")
        rows = eventually(lambda: get("v2/observations", traceId=trace, fields="basic,io")["data"], lambda r: len(r) == 1, "span sent by gRPC")
        eq((rows[0]["name"], rows[0]["input"]), ("over gRPC", "hello"), "row")


# --------------------------------------------------------------------------- prompts
PROMPT = "journey/greet ü %s" % RUN
CHAT = "journey/chat %s" % RUN


@check("prompt create: version 1 gets latest and production")
def _():
    p = lf.create_prompt(name=PROMPT, prompt="Hello {{name}}", labels=["production"], tags=["t1"], config={"temperature": 0.2}, commit_message="first")
    eq(p.version, 1, "version")
    eq(sorted(p.labels), ["latest", "production"], "labels")
    eq(p.config, {"temperature": 0.2}, "config")
    eq(p.commit_message, "first", "commit message")


@check("prompt create: version 2 takes latest, production stays")
def _():
    p = lf.create_prompt(name=PROMPT, prompt="Hi {{name}}", labels=["staging"])
    eq(p.version, 2, "version")
    eq(sorted(p.labels), ["latest", "staging"], "labels")
    eq(p.tags, ["t1"], "tags inherited")
    eq(sorted(lf.api.prompts.get(quoted(PROMPT), version=1).labels), ["production"], "labels of version 1")


@check("prompt get: default label, by label, by version, compile")
def _():
    eq(lf.get_prompt(PROMPT, cache_ttl_seconds=0).version, 1, "default")
    eq(lf.get_prompt(PROMPT, label="latest", cache_ttl_seconds=0).version, 2, "latest")
    p = lf.get_prompt(PROMPT, version=2, cache_ttl_seconds=0)
    eq(p.compile(name="Ada"), "Hi Ada", "compiled")


@check("prompt label update moves production")
def _():
    lf.update_prompt(name=PROMPT, version=2, new_labels=["production"])
    eq(lf.get_prompt(PROMPT, cache_ttl_seconds=0).version, 2, "production version")
    eq(lf.api.prompts.get(quoted(PROMPT), version=1).labels, [], "labels of version 1")


@check("chat prompt with placeholder")
def _():
    lf.create_prompt(name=CHAT, type="chat", labels=["production"], prompt=[{"role": "system", "content": "be {{tone}}"}, {"type": "placeholder", "name": "history"}])
    p = lf.get_prompt(CHAT, type="chat", cache_ttl_seconds=0)
    got = p.compile(tone="kind", history=[{"role": "user", "content": "hi"}])
    eq([m["content"] for m in got], ["be kind", "hi"], "messages")


@check("prompt cache, fallback, and a cached prompt that is gone")
def _():
    p = lf.get_prompt("journey-missing-" + RUN, fallback="Fallback {{name}}", max_retries=0)
    eq((p.is_fallback, p.compile(name="Ada")), (True, "Fallback Ada"), "fallback")
    name = PROMPT + " cached"
    lf.create_prompt(name=name, prompt="one", labels=["production"])
    eq(lf.get_prompt(name).prompt, "one", "first read")
    lf.api.prompts.create(request={"name": name, "prompt": "two", "type": "text", "labels": ["production"]})
    eq(lf.get_prompt(name).prompt, "one", "out of the SDK's cache")
    eq(lf.get_prompt(name, cache_ttl_seconds=0).prompt, "two", "past the SDK's cache")
    lf.api.prompts.delete(quoted(name))
    eq(lf.get_prompt(name, fallback="gone", cache_ttl_seconds=0, max_retries=0).prompt, "gone", "after deletion")


@check("prompt list row and errors")
def _():
    rows = lf.api.prompts.list(name=PROMPT).data
    eq(len(rows), 1, "rows")
    eq((rows[0].name, str(rows[0].type.value), sorted(rows[0].versions)), (PROMPT, "text", [1, 2]), "row")
    try:
        lf.api.prompts.get("journey-missing-" + RUN, request_options={"max_retries": 0})
    except NotFoundError:
        pass
    else:
        raise AssertionError("missing prompt found")
    rejected("v2/prompts/" + quoted(PROMPT), version="1", label="production")


# --------------------------------------------------------------------------- one trace with everything
META = {
    "s": "gold", "digits": "123", "i": 42, "f": 1.5, "t": True, "none": None,
    "nested": {"b": {"c": 1}, "d": "x"}, "nested.d": "literal loses", "big": 2**70,
    "list": [1, "x"], "dt": datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc), "day": date(2026, 1, 2),
    "u": "héé✓ 日本", "quote": 'say "hi"', "jsonlike": '{"x":1}', "truelike": "true", "long": "x" * 300,
}
CST = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=timezone.utc)
ids = {}


def send_trace():
    prompt = None
    try:
        prompt = lf.get_prompt(PROMPT)
    except Exception:  # noqa: BLE001
        pass
    with propagate_attributes(user_id="user-" + RUN, session_id="sess-" + RUN, tags=["a", RUN], trace_name="my-trace", version="v9", metadata={"team": "core", "rank": 7, "flag": False, "opts": {"k": "v"}, "arr": [1, 2]}):
        with lf.start_as_current_observation(name="root", input={"q": "wie geht's? ü needle-" + RUN}, metadata=META) as root:
            ids["trace"], ids["root"] = root.trace_id, root.id
            with root.start_as_current_observation(
                name="gen", as_type="generation", model="journey-model", input=[{"role": "user", "content": "Hi"}],
                model_parameters={"temperature": 0.7, "stop": ["a"], "stream": True}, usage_details={"input": 10, "output": 5, "cached": 3},
                cost_details={"input": 0.001, "output": 0.002}, prompt=prompt, completion_start_time=CST, level="WARNING", status_message="slow",
            ) as gen:
                gen.update(output={"role": "assistant", "content": "Hello!"})
                ids["gen"] = gen.id
                with gen.start_as_current_observation(
                    name="oai", as_type="generation", model="journey-model",
                    usage_details={"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25, "prompt_tokens_details": {"cached_tokens": 8}, "completion_tokens_details": {"reasoning_tokens": 2}},
                    output="plain text",
                ) as oai:
                    ids["oai"] = oai.id
            for kind in ("agent", "tool", "chain", "retriever", "evaluator", "guardrail", "embedding"):
                with root.start_as_current_observation(name=kind + "-obs", as_type=kind, input={"kind": kind}):
                    pass
            root.create_event(name="event-obs", input="ev-in", level="DEBUG")
            with root.start_as_current_observation(name="media", input={"img": LangfuseMedia(content_bytes=PNG, content_type="image/png")}):
                pass
            try:
                with lf.start_as_current_observation(name="failing", as_type="tool"):
                    raise ValueError("boom")
            except ValueError:
                pass
            root.update(output="done")
    lf.flush()


NAMES = {"root", "gen", "oai", "event-obs", "media", "failing"} | {k + "-obs" for k in ("agent", "tool", "chain", "retriever", "evaluator", "guardrail", "embedding")}
ALL = "core,basic,time,io,metadata,model,usage,prompt,metrics,trace_context"
rows = {}


@check("trace with every observation type is visible")
def _():
    send_trace()
    got = eventually(lambda: lf.api.observations.get_many(trace_id=ids["trace"], fields=ALL, limit=100).data, lambda d: len(d) >= len(NAMES), "trace")
    rows.update({r.name: r for r in got})
    eq(set(rows), NAMES, "names")
    eq(len(got), len(NAMES), "row count")


def row(name):
    has(name in rows, "row %r missing" % name)
    return rows[name]


@check("types")
def _():
    want = {"root": "SPAN", "gen": "GENERATION", "oai": "GENERATION", "event-obs": "EVENT", "media": "SPAN", "failing": "TOOL"}
    want.update({k + "-obs": k.upper() for k in ("agent", "tool", "chain", "retriever", "evaluator", "guardrail", "embedding")})
    eq({n: row(n).type for n in want}, want, "types")


@check("hierarchy and root flag")
def _():
    eq(row("root").parent_observation_id, None, "parent of root")
    eq(row("gen").parent_observation_id, ids["root"], "parent of gen")
    eq(row("oai").parent_observation_id, ids["gen"], "parent of oai")
    eq([n for n in rows if rows[n].is_root_observation], ["root"], "roots")
    eq({r.project_id for r in rows.values()}, {PROJECT}, "project")


@check("propagated trace fields on every row")
def _():
    for n in NAMES:
        r = row(n)
        eq((r.user_id, r.session_id, sorted(r.tags), r.trace_name, r.version, r.release, r.environment), ("user-" + RUN, "sess-" + RUN, sorted(["a", RUN]), "my-trace", "v9", "rel-" + RUN, "journey"), n)
        eq((r.public, r.bookmarked), (False, False), n)


@check("level and status message")
def _():
    eq((row("gen").level.value, row("gen").status_message), ("WARNING", "slow"), "gen")
    eq(row("event-obs").level.value, "DEBUG", "event")
    eq(row("failing").level.value, "ERROR", "failing level")
    has("boom" in (row("failing").status_message or ""), "failing message %r" % row("failing").status_message)
    eq(row("root").level.value, "DEFAULT", "root")


@check("input and output are the raw strings")
def _():
    eq(json.loads(row("gen").output), {"role": "assistant", "content": "Hello!"}, "gen output")
    has(isinstance(row("gen").input, str), "input is %s" % type(row("gen").input))
    eq(row("oai").output, "plain text", "oai output")
    eq(row("event-obs").input, "ev-in", "event input")
    eq(row("root").output, "done", "root output")
    eq(row("agent-obs").output, None, "absent output")


@check("model, parameters, prompt link, completion start, latency")
def _():
    g = row("gen")
    eq(g.model, "journey-model", "model")
    eq((g.model_parameters["temperature"], g.model_parameters["stop"], g.model_parameters["stream"]), (0.7, '["a"]', "true"), "parameters")
    eq((g.prompt_name, g.prompt_version), (PROMPT, 2), "prompt")
    has(g.prompt_id, "promptId of a known prompt")
    eq(row("agent-obs").prompt_name, None, "prompt on a non-generation")
    eq(int(g.completion_start_time.timestamp() * 1000), int(CST.timestamp() * 1000), "completion start")
    has(g.latency is not None and 0 <= g.latency < 60, "latency %r" % g.latency)
    has(g.created_at and g.updated_at, "createdAt, updatedAt")


@check("usage and cost details")
def _():
    g = row("gen")
    eq(g.usage_details, {"input": 10, "output": 5, "cached": 3, "total": 18}, "usage")
    eq(sorted(g.cost_details), ["input", "output", "total"], "cost keys")
    near(g.cost_details["total"], 0.003, "total cost")
    near(g.total_cost, 0.003, "totalCost")
    eq(row("oai").usage_details, {"input": 12, "output": 3, "total": 25, "input_cached_tokens": 8, "output_reasoning_tokens": 2}, "OpenAI shape")
    raw = [r for r in get("v2/observations", traceId=ids["trace"], fields="usage")["data"] if r["id"] == ids["gen"]][0]
    eq((raw["inputUsage"], raw["outputUsage"], raw["totalUsage"]), (10, 5, 18), "sums")
    near(raw["inputCost"], 0.001, "inputCost")


@check("metadata types (contract 2.4)")
def _():
    m = row("root").metadata
    want = {
        "s": "gold", "digits": "123", "i": 42, "f": 1.5, "t": True, "nested.b.c": 1, "nested.d": "x", "big": str(2**70),
        "list": [1, "x"], "dt": "2026-01-02T03:04:05Z", "day": "2026-01-02", "u": "héé✓ 日本", "quote": 'say "hi"',
        "jsonlike": '{"x":1}', "truelike": "true", "team": "core", "rank": 7, "flag": False, "opts.k": "v", "arr": [1, 2],
    }
    for k, v in want.items():
        has(k in m, "key %s missing, have %s" % (k, sorted(m)))
        eq(m[k], v, k)
        eq(type(m[k]).__name__, type(v).__name__, "type of " + k)
    has("none" not in m and "nested" not in m, "null or unflattened key present")


@check("metadata truncation at 200 and expandMetadata")
def _():
    eq(row("root").metadata["long"], "x" * 200, "cut value")
    full = get("v2/observations", traceId=ids["trace"], fields="metadata", expandMetadata="long", isRootObservation="true")["data"][0]
    eq(full["metadata"]["long"], "x" * 300, "expanded value")


@check("field groups: default is core,basic; others absent")
def _():
    always = {"id", "traceId", "startTime", "endTime", "projectId", "parentObservationId", "type", "modelId", "inputPrice", "outputPrice", "totalPrice"}
    basic = {"name", "level", "statusMessage", "version", "environment", "bookmarked", "public", "userId", "sessionId", "isRootObservation"}
    for r in get("v2/observations", traceId=ids["trace"])["data"]:
        eq(set(r), always | basic, "keys")
    eq(set(get("v2/observations", traceId=ids["trace"], fields="core")["data"][0]), always, "core keys")
    eq(set(get("v2/observations", traceId=ids["trace"], fields="io")["data"][0]), always | {"input", "output"}, "io keys")


@check("cursor paging: newest first, no gap, no repeat, no cursor at the end")
def _():
    seen, cursor, pages = [], None, 0
    while True:
        page = lf.api.observations.get_many(trace_id=ids["trace"], limit=4, cursor=cursor)
        seen += page.data
        pages += 1
        cursor = page.meta.cursor
        if not cursor:
            break
        eq(len(page.data), 4, "page size")
        has(pages < 20, "endless paging")
    eq(len(seen), len(NAMES), "rows")
    eq(len({r.id for r in seen}), len(NAMES), "distinct rows")
    has(all(a.start_time >= b.start_time for a, b in zip(seen, seen[1:])), "order")
    full = get("v2/observations", traceId=ids["trace"], limit=len(NAMES))
    has(not full["meta"].get("cursor"), "cursor on an exactly full last page")


def names(**kw):
    return sorted(r.name for r in lf.api.observations.get_many(trace_id=ids["trace"], limit=100, **kw).data)


@check("fixed parameters filter")
def _():
    eq(names(type="GENERATION"), ["gen", "oai"], "type")
    eq(names(level="ERROR"), ["failing"], "level")
    eq(names(name="agent-obs"), ["agent-obs"], "name")
    eq(names(is_root_observation=True), ["root"], "isRootObservation")
    eq(names(parent_observation_id=ids["gen"]), ["oai"], "parentObservationId")
    eq([r["name"] for r in get("v2/observations", traceId=ids["trace"], parentObservationId="")["data"]], ["root"], "empty parent")
    eq(len(names(environment=["journey", "other"])), len(NAMES), "environment")
    eq(names(environment="other"), [], "other environment")
    eq(len(names(user_id="user-" + RUN, session_id="sess-" + RUN, version="v9")), len(NAMES), "user, session, version")
    eq(len(names(from_start_time=START, to_start_time=datetime.now(timezone.utc) + timedelta(minutes=1))), len(NAMES), "window")
    eq(names(to_start_time=START), [], "before the window")


@check("filter conditions")
def _():
    def f(*c):
        return names(filter=conds(*c))

    def meta(key, op, value, t="stringObject"):
        return {"type": t, "column": "metadata", "key": key, "operator": op, "value": value}

    eq(f({"type": "stringOptions", "column": "type", "operator": "any of", "value": ["AGENT", "CHAIN"]}), ["agent-obs", "chain-obs"], "any of")
    eq(f({"type": "string", "column": "name", "operator": "starts with", "value": "re"}), ["retriever-obs"], "starts with")
    eq(len(f({"type": "arrayOptions", "column": "tags", "operator": "all of", "value": ["a", RUN]})), len(NAMES), "tags all of")
    eq(f({"type": "arrayOptions", "column": "tags", "operator": "none of", "value": ["a"]}), [], "tags none of")
    eq(f({"type": "number", "column": "totalTokens", "operator": ">", "value": 20}), ["oai"], "totalTokens")
    eq(f({"type": "number", "column": "totalCost", "operator": ">=", "value": 0.003}), ["gen"], "totalCost")
    eq(f({"type": "boolean", "column": "isRootObservation", "operator": "<>", "value": False}), ["root"], "boolean")
    eq(f({"type": "null", "column": "statusMessage", "operator": "is not null", "value": ""}), ["failing", "gen"], "is not null")
    eq(f(meta("s", "=", "gold")), ["root"], "metadata string")
    eq(f(meta("digits", "=", "123")), ["root"], "metadata digit string")
    eq(f(meta("nested.b.c", ">=", 1, "numberObject")), ["root"], "metadata dotted number")
    eq(f(meta("i", ">", 41, "numberObject")), ["root"], "metadata number")
    eq(len(f(meta("team", "=", "core"))), len(NAMES), "trace metadata on every row")
    eq(f(meta("s", "does not contain", "old")), [], "absent key never matches")
    eq(f(meta("s", "is set", "")), ["root"], "is set")
    eq(f({"type": "string", "column": "input", "operator": "matches", "value": "NEEDLE-" + RUN}), ["root"], "matches, any case")
    eq(f({"type": "string", "column": "output", "operator": "=", "value": "plain text"}), ["oai"], "output equality")
    eq(f({"type": "string", "column": "model", "operator": "=", "value": "journey-model"}, {"type": "string", "column": "level", "operator": "=", "value": "DEFAULT"}), ["oai"], "AND")
    one = lf.api.observations.get_many(filter=conds({"type": "string", "column": "id", "operator": "=", "value": ids["gen"]}, {"type": "string", "column": "traceId", "operator": "=", "value": ids["trace"]}))
    eq([r.id for r in one.data], [ids["gen"]], "by id")


@check("observation read errors are 400")
def _():
    try:
        lf.api.observations.get_many(parse_io_as_json=True)
    except BadRequest as e:
        eq(e.status_code, 400, "parseIoAsJson status")
    else:
        raise AssertionError("parseIoAsJson=true accepted")
    rejected("v2/observations", parseIoAsJson="true")
    get("v2/observations", parseIoAsJson="false", limit=1)
    rejected("v2/observations", limit="1001")
    rejected("v2/observations", type="BANANA")
    rejected("v2/observations", fromStartTime="yesterday")
    rejected("v2/observations", filter="not json")
    rejected("v2/observations", cursor="%%%")
    rejected("v2/observations", filter=conds({"type": "string", "column": "nope", "operator": "=", "value": "x"}))
    rejected("v2/observations", filter=conds({"type": "string", "column": "input", "operator": "contains", "value": "x"}))
    rejected("v2/observations", filter=conds({"type": "number", "column": "name", "operator": ">", "value": 1}))


# --------------------------------------------------------------------------- media
@check("media handshake: reference in the input, bytes come back, repeat needs no upload")
def _():
    digest = base64.b64encode(hashlib.sha256(PNG).digest()).decode()
    mid = digest.replace("+", "-").replace("/", "_")[:22]
    has("@@@langfuseMedia:type=image/png|id=%s|source=bytes@@@" % mid in (row("media").input or ""), "reference in %r" % row("media").input)
    m = eventually(lambda: lf.api.media.get(mid, request_options={"max_retries": 0}), lambda x: x.url, "media")
    eq((m.media_id, m.content_type, m.content_length), (mid, "image/png", len(PNG)), "record")
    r = httpx.get(m.url if m.url.startswith("http") else URL + m.url)
    eq(r.status_code, 200, "download status")
    eq(r.content, PNG, "bytes")
    again = lf.api.media.get_upload_url(content_type="image/png", content_length=len(PNG), sha256hash=digest, field="input", trace_id=ids["trace"], observation_id=ids["root"])
    eq((again.media_id, again.upload_url), (mid, None), "second handshake")
    post("media", {"contentType": "image/png", "contentLength": 3, "sha256Hash": "short", "field": "input", "traceId": ids["trace"]}, 400)


# --------------------------------------------------------------------------- scores
SCORE_TS = datetime.now(timezone.utc) - timedelta(seconds=30)


def sid(n):
    return "%s-%s" % (n, RUN)


def scores(**kw):
    return lf.api.scores.get_many(**kw).data


@check("scores of every type and subject through the SDK queue")
def _():
    t, o = ids["trace"], ids["gen"]
    lf.create_score(name="num", value=0.25, trace_id=t, score_id=sid("num"), data_type="NUMERIC", comment="cömment", metadata={"judge": "v2", "n": 1}, timestamp=SCORE_TS)
    lf.create_score(name="plain", value=3, trace_id=t, score_id=sid("plain"))
    lf.create_score(name="bool", value=1, trace_id=t, observation_id=o, score_id=sid("bool"), data_type="BOOLEAN")
    lf.create_score(name="cat", value="good", trace_id=t, observation_id=o, score_id=sid("cat"), data_type="CATEGORICAL")
    lf.create_score(name="untyped", value="good", trace_id=t, score_id=sid("untyped"))
    lf.create_score(name="text", value="free text ü", trace_id=t, score_id=sid("text"), data_type="TEXT")
    lf.create_score(name="output", value="better output", trace_id=t, observation_id=o, score_id=sid("corr"), data_type="CORRECTION")
    lf.create_score(name="sess", value=0.9, session_id="sess-" + RUN, score_id=sid("sess"), data_type="NUMERIC", environment="other")
    lf.flush()
    want = ["num", "plain", "bool", "cat", "untyped", "text", "corr", "sess"]
    got = eventually(lambda: scores(id=",".join(map(sid, want)), fields="details,subject,annotation"), lambda d: len(d) == len(want), "scores")
    by = {s.id: s for s in got}
    s = by[sid("num")]
    eq((s.data_type, s.value, s.name, s.source.value, s.environment, s.comment, s.metadata, s.config_id), ("NUMERIC", 0.25, "num", "API", "journey", "cömment", {"judge": "v2", "n": 1}, None), "num")
    eq(int(s.timestamp.timestamp() * 1000), int(SCORE_TS.timestamp() * 1000), "client timestamp kept")
    eq(s.subject.model_dump(), {"kind": "trace", "id": ids["trace"]}, "trace subject")
    eq(s.project_id, PROJECT, "project")
    eq((by[sid("plain")].data_type, by[sid("plain")].value), ("NUMERIC", 3.0), "inferred number")
    eq((by[sid("untyped")].data_type, by[sid("untyped")].value), ("CATEGORICAL", "good"), "inferred string")
    eq((by[sid("bool")].data_type, by[sid("bool")].value), ("BOOLEAN", True), "boolean")
    eq((by[sid("bool")].subject.kind, by[sid("bool")].subject.id, by[sid("bool")].subject.trace_id), ("observation", ids["gen"], ids["trace"]), "observation subject")
    eq((by[sid("text")].data_type, by[sid("text")].value), ("TEXT", "free text ü"), "text")
    eq((by[sid("corr")].data_type, by[sid("corr")].value), ("CORRECTION", "better output"), "correction")
    eq((by[sid("sess")].subject.kind, by[sid("sess")].subject.id, by[sid("sess")].environment), ("session", "sess-" + RUN, "other"), "session subject")


@check("score groups absent unless asked")
def _():
    core = {"id", "projectId", "name", "dataType", "value", "source", "timestamp", "environment", "createdAt", "updatedAt"}
    body = get("v3/scores", id=sid("num"))
    eq(set(body["data"][0]), core, "keys")
    eq(body["meta"]["limit"], 50, "meta.limit")
    eq(set(get("v3/scores", id=sid("num"), fields="subject")["data"][0]), core | {"subject"}, "keys with subject")


@check("score filters")
def _():
    def n(**kw):
        return sorted(s.name for s in scores(limit=100, **kw))

    t = ids["trace"]
    eq(n(trace_id=t, data_type="numeric"), ["num", "plain"], "dataType in lower case")
    eq(n(trace_id=t, data_type="NUMERIC", value_min=0.25, value_max=1), ["num"], "inclusive range")
    eq(n(trace_id=t, data_type="BOOLEAN", value="true"), ["bool"], "boolean value")
    eq(n(trace_id=t, data_type="CATEGORICAL", value="good,bad"), ["cat", "untyped"], "category value")
    eq(n(trace_id=t, observation_id=ids["gen"]), ["bool", "cat", "output"], "observation")
    eq(n(session_id="sess-" + RUN), ["sess"], "session")
    eq(n(trace_id=t, name="num,text", source="api"), ["num", "text"], "names and source in lower case")
    eq(n(trace_id=t, to_timestamp=SCORE_TS + timedelta(seconds=1)), ["num"], "toTimestamp")


@check("score cursor paging")
def _():
    seen, cursor = [], None
    for _n in range(10):
        page = lf.api.scores.get_many(trace_id=ids["trace"], limit=3, cursor=cursor)
        seen += [s.id for s in page.data]
        cursor = page.meta.cursor
        if not cursor:
            break
    eq((len(seen), len(set(seen))), (7, 7), "rows over all pages")


@check("score read errors are 400")
def _():
    rejected("v3/scores", fields="banana")
    rejected("v3/scores", observationId="x")
    rejected("v3/scores", traceId="x", sessionId="y")
    rejected("v3/scores", valueMin="1")
    rejected("v3/scores", value="1")
    rejected("v3/scores", dataType="BANANA")
    rejected("v3/scores", limit="101")
    rejected("v3/scores", page="1")


@check("score batch: 202 when all good, 207 with counts otherwise")
def _():
    t = ids["trace"]
    eq(post("scores", [{"id": sid("b1"), "traceId": t, "name": "b1", "value": 1, "dataType": "NUMERIC"}], 202), {"message": "Accepted"}, "body")
    r = post("scores", [{"id": sid("b2"), "traceId": t, "name": "b2", "value": 1}, {"name": "no target", "value": 1}, {"traceId": t, "name": "bad", "value": 2, "dataType": "BOOLEAN"}], 207)
    eq((r["accepted"], r["rejected"], len(r["errors"])), (1, 2, 2), "counts")
    has(all(e.get("message") for e in r["errors"]), "error messages")
    eventually(lambda: scores(id="%s,%s" % (sid("b1"), sid("b2"))), lambda d: len(d) == 2, "batch scores")


@check("single score object still answers 200 with its id; same id overwrites")
def _():
    t = ids["trace"]
    eq(post("scores", {"id": sid("num"), "traceId": t, "name": "num", "value": 0.75, "dataType": "NUMERIC"}, 200), {"id": sid("num")}, "body")
    s = eventually(lambda: scores(id=sid("num"), fields="details"), lambda d: len(d) == 1 and d[0].value == 0.75, "overwritten score")[0]
    eq(s.comment, "cömment", "absent field kept")
    post("scores", {"traceId": t, "name": "x", "value": True, "dataType": "BOOLEAN"}, 400)
    post("scores", {"name": "x", "value": 1}, 400)
    has(post("scores", {"traceId": t, "name": "gen-id", "value": 1}, 200).get("id"), "generated id")


@check("legacy events: 207, score stored; a span event is taken or refused, never an error of the whole request")
def _():
    now = datetime.now(timezone.utc).isoformat()
    ids["legacy"] = uuid.uuid4().hex
    r = post("ingestion", {"batch": [
        {"id": "e1", "type": "score-create", "timestamp": now, "body": {"id": sid("ev"), "traceId": ids["trace"], "name": "ev", "value": 0.5}},
        {"id": "e2", "type": "span-create", "timestamp": now, "body": {"id": "legacy-" + RUN, "traceId": ids["legacy"], "name": "x", "startTime": now}},
        {"id": "e3", "type": "score-create", "timestamp": now, "body": {"name": "no target or value"}},
    ]}, 207)
    ok = {e["id"]: e["status"] for e in r["successes"]}
    bad = {e["id"]: e["status"] for e in r["errors"]}
    eq((ok.get("e1"), bad.get("e3")), (201, 400), "score events")
    has(ok.get("e2") == 201 or bad.get("e2") == 400, "span event in neither list: %r" % r)
    eventually(lambda: scores(id=sid("ev")), lambda d: len(d) == 1, "score event")


# --------------------------------------------------------------------------- datasets and experiments
DS = "journey/capitals ü %s" % RUN
DSID = ""


@check("dataset and items")
def _():
    global DSID
    d = lf.create_dataset(name=DS, description="d", metadata={"owner": "x"})
    eq((d.name, d.description, d.metadata), (DS, "d", {"owner": "x"}), "dataset")
    DSID = d.id
    eq(lf.create_dataset(name=DS).id, d.id, "create is an upsert by name")
    lf.create_dataset_item(dataset_name=DS, id=sid("i1"), input="capital of France?", expected_output="Paris", metadata={"difficulty": "easy"})
    lf.create_dataset_item(dataset_name=DS, id=sid("i2"), input={"q": "capital of Italy?"}, expected_output={"a": "Rome"})
    ds = lf.get_dataset(DS, fetch_items_page_size=1)
    items = {i.id: i for i in ds.items}
    eq(sorted(items), [sid("i1"), sid("i2")], "items")
    eq((items[sid("i2")].input, items[sid("i2")].expected_output, items[sid("i1")].metadata), ({"q": "capital of Italy?"}, {"a": "Rome"}, {"difficulty": "easy"}), "item fields")
    eq(lf.api.dataset_items.get(sid("i1")).dataset_name, DS, "item by id")
    has(any(x.name == DS for x in lf.api.datasets.list(limit=100).data), "dataset list")
    try:
        lf.api.datasets.get("journey-missing-" + RUN, request_options={"max_retries": 0})
    except NotFoundError:
        pass
    else:
        raise AssertionError("missing dataset found")


def task(*, item, **_kw):
    value = item["input"] if isinstance(item, dict) else item.input
    with lf.start_as_current_observation(name="llm", as_type="generation", model="journey-model", input=value) as g:
        g.update(output="Paris")
    return "Paris"


def exact(*, output, expected_output, **_kw):
    return Evaluation(name="exact", value=1.0 if output == expected_output else 0.0, comment="c", data_type="NUMERIC")


def average(*, item_results, **_kw):
    return Evaluation(name="avg", value=0.5, comment="run level", data_type="NUMERIC")


RUNNAME = "run <é> & %s" % RUN
exp = {}


def stable_id(run_name):
    return hashlib.sha256(json.dumps(["langfuse-experiment-v1", PROJECT, DSID, run_name], separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()[:16]


@check("experiment on the hosted dataset: derived id and result address")
def _():
    r = lf.get_dataset(DS).run_experiment(name="hosted", run_name=RUNNAME, description="hosted run", task=task, evaluators=[exact], run_evaluators=[average], metadata={"model": "m1"})
    exp["id"] = r.experiment_id
    eq(len(r.item_results), 2, "results")
    eq(r.experiment_id, stable_id(RUNNAME), "experiment id")
    eq(r.experiment_url, "%s/project/%s/experiments/results?baseline=%s" % (URL, PROJECT, r.experiment_id), "address")


@check("experiment row with metadata and run score")
def _():
    def read():
        return lf.api.experiments.list(from_start_time=START, id=exp["id"], fields="metadata,scores").data

    e = eventually(read, lambda d: len(d) == 1 and d[0].item_count == 2 and d[0].scores, "experiment")[0]
    eq((e.id, e.name, e.description, e.dataset_id), (exp["id"], RUNNAME, "hosted run", DSID), "experiment")
    eq(e.metadata.get("model"), "m1", "metadata")
    has(e.end_time >= e.start_time, "times")
    eq([(s.name, s.value, s.subject.kind, s.subject.id) for s in e.scores], [("avg", 0.5, "experiment", exp["id"])], "run score")
    eq([x.id for x in lf.api.experiments.list(from_start_time=START, dataset_id=DSID).data], [exp["id"]], "by dataset")
    eq(lf.api.experiments.list(from_start_time=START, name="no such run " + RUN).data, [], "by unknown name")
    f = conds({"type": "string", "column": "name", "operator": "=", "value": RUNNAME})
    eq([x.id for x in lf.api.experiments.list(from_start_time=START, filter=f).data], [exp["id"]], "by filter")


@check("experiment items with io, metadata and scores")
def _():
    groups = "core,dataset,io,metadata,itemMetadata,experimentMetadata,scores"

    def read():
        return lf.api.experiments.list_items(from_start_time=START, experiment_id=exp["id"], fields=groups).data

    got = eventually(read, lambda d: len(d) == 2 and all(i.scores for i in d), "items")
    by = {i.experiment_item_id: i for i in got}
    i1, i2 = by[sid("i1")], by[sid("i2")]
    eq((i1.input, i1.output, i1.expected_output), ("capital of France?", "Paris", "Paris"), "io")
    eq((json.loads(i2.input), json.loads(i2.expected_output)), ({"q": "capital of Italy?"}, {"a": "Rome"}), "io of objects")
    eq((i1.experiment_name, i1.experiment_dataset_id, i1.environment, i1.level.value), (RUNNAME, DSID, "sdk-experiment", "DEFAULT"), "core")
    eq((i1.experiment_item_metadata or {}).get("difficulty"), "easy", "item metadata")
    eq((i1.metadata or {}).get("dataset_item_id"), sid("i1"), "root span metadata")
    eq((i1.experiment_description, (i1.experiment_metadata or {}).get("model")), ("hosted run", "m1"), "experiment group")
    eq(([s.value for s in i1.scores], [s.value for s in i2.scores]), ([1.0], [0.0]), "scores")
    eq((i1.scores[0].subject.kind, i1.scores[0].subject.id), ("observation", i1.id), "score subject is the item root")
    tree = lf.api.observations.get_many(trace_id=i1.trace_id).data
    has({"experiment-item-run", "experiment-item-task", "llm", "exact"} <= {o.name for o in tree}, "tree %s" % sorted(o.name for o in tree))
    root = [o for o in tree if o.id == i1.id][0]
    eq(root.name, "experiment-item-task", "item root span")
    has(root.parent_observation_id, "the item root has a parent")
    eq([s.name for s in scores(experiment_id=exp["id"])], ["avg"], "v3 scores by experiment")


@check("experiment item paging and field groups")
def _():
    a = lf.api.experiments.list_items(from_start_time=START, experiment_id=exp["id"], limit=1)
    b = lf.api.experiments.list_items(from_start_time=START, experiment_id=exp["id"], limit=1, cursor=a.meta.cursor)
    eq((len(a.data), len(b.data), bool(a.meta.cursor), b.meta.cursor), (1, 1, True, None), "pages")
    has(a.data[0].id != b.data[0].id, "same item twice")
    has("input" not in get("experiment-items", fromStartTime=START.isoformat(), experimentId=exp["id"])["data"][0], "io without the group")


@check("experiment read errors are 400")
def _():
    rejected("experiments")
    rejected("experiment-items")
    rejected("experiments", fromStartTime=START.isoformat(), fields="banana")
    rejected("experiments", fromStartTime=START.isoformat(), limit="101")
    rejected("experiments", fromStartTime=START.isoformat(), filter=conds({"type": "string", "column": "nope", "operator": "=", "value": "x"}))


@check("same run name adds to the same experiment")
def _():
    item = lf.get_dataset(DS).items[:1]
    r = lf.run_experiment(name="again", run_name=RUNNAME, data=item, task=task)
    eq(r.experiment_id, exp["id"], "id")
    eventually(lambda: lf.api.experiments.list(from_start_time=START, id=exp["id"]).data, lambda d: d and d[0].item_count == 3, "third item")


@check("older clients: dataset-run-items answers the same experiment id")
def _():
    r = post("dataset-run-items", {"runName": RUNNAME, "datasetItemId": sid("i1"), "traceId": ids["trace"], "observationId": ids["root"]}, 200)
    eq((r["datasetRunId"], r["datasetRunName"], r["datasetItemId"], r["traceId"]), (exp["id"], RUNNAME, sid("i1"), ids["trace"]), "answer")
    post("dataset-run-items", {"runName": RUNNAME, "datasetItemId": "missing-" + RUN, "traceId": "t"}, 404)


@check("experiment on local data: own id, no dataset, failed item is an item")
def _():
    def flaky(*, item, **_kw):
        if item["input"] == "explode":
            raise RuntimeError("task failed")
        return "ok"

    given = Langfuse.create_trace_id(seed="exp-" + RUN)
    r = lf.run_experiment(name="local", run_name="local-" + RUN, data=[{"input": "a", "expected_output": "ok"}, {"input": "explode"}], task=flaky, run_evaluators=[average], experiment_id=given)
    eq((r.experiment_id, len(r.item_results)), (given, 1), "result")
    e = eventually(lambda: lf.api.experiments.list(from_start_time=START, id=given, fields="scores").data, lambda d: len(d) == 1 and d[0].item_count == 2 and d[0].scores, "local experiment")[0]
    eq((e.dataset_id, e.name), (None, "local-" + RUN), "experiment")
    items = lf.api.experiments.list_items(from_start_time=START, experiment_id=given, fields="core,io").data
    eq(sorted((i.input, i.level.value) for i in items), [("a", "DEFAULT"), ("explode", "ERROR")], "items")
    eq({i.experiment_item_id for i in items}, {HEX("a")[:16], HEX("explode")[:16]}, "item ids")


# --------------------------------------------------------------------------- metrics
def metrics(**q):
    q.setdefault("fromTimestamp", START.isoformat().replace("+00:00", "Z"))
    q.setdefault("toTimestamp", (datetime.now(timezone.utc) + timedelta(minutes=5)).isoformat().replace("+00:00", "Z"))
    return lf.api.metrics.metrics(query=json.dumps(q)).data


TRACE_FILTER = {"type": "string", "column": "traceId", "operator": "=", "value": ids.get("trace", "")}


@check("metrics: counts and token sums by dimension")
def _():
    got = {r["type"]: int(r["count_count"]) for r in metrics(view="observations", metrics=[{"measure": "count", "aggregation": "count"}], dimensions=[{"field": "type"}], filters=[TRACE_FILTER])}
    eq((got.get("GENERATION"), got.get("SPAN"), got.get("TOOL"), sum(got.values())), (2, 2, 2, len(NAMES)), "counts")
    got = metrics(view="observations", metrics=[{"measure": "totalTokens", "aggregation": "sum"}, {"measure": "totalCost", "aggregation": "sum"}, {"measure": "latency", "aggregation": "max"}], dimensions=[{"field": "providedModelName"}], filters=[TRACE_FILTER])
    r = [x for x in got if x["providedModelName"] == "journey-model"][0]
    near(float(r["sum_totalTokens"]), 43, "tokens")
    near(float(r["sum_totalCost"]), 0.003, "cost")
    has(r["max_latency"] is not None, "latency")
    got = metrics(view="observations", metrics=[{"measure": "count", "aggregation": "count"}], filters=[TRACE_FILTER, {"type": "boolean", "column": "isRootObservation", "operator": "=", "value": True}])
    eq(int(got[0]["count_count"]), 1, "roots")


@check("metrics: scores")
def _():
    r = metrics(view="scores-numeric", metrics=[{"measure": "value", "aggregation": "avg"}, {"measure": "count", "aggregation": "count"}], dimensions=[{"field": "name"}], filters=[{"type": "string", "column": "sessionId", "operator": "=", "value": "sess-" + RUN}])
    eq([x["name"] for x in r], ["sess"], "rows")
    near(float(r[0]["avg_value"]), 0.9, "average")
    eq(int(r[0]["count_count"]), 1, "count")
    r = metrics(view="scores-categorical", metrics=[{"measure": "count", "aggregation": "count"}], dimensions=[{"field": "stringValue"}], filters=[TRACE_FILTER])
    eq([(x["stringValue"], int(x["count_count"])) for x in r], [("good", 2)], "categories")


@check("metrics errors are 400")
def _():
    rejected("v2/metrics", query="not json")
    base = {"view": "observations", "metrics": [{"measure": "count", "aggregation": "count"}], "fromTimestamp": "2026-01-01T00:00:00Z", "toTimestamp": "2026-01-02T00:00:00Z"}
    rejected("v2/metrics", query=json.dumps(dict(base, view="traces")))
    rejected("v2/metrics", query=json.dumps(dict(base, dimensions=[{"field": "nope"}])))
    rejected("v2/metrics", query=json.dumps(dict(base, metrics=[{"measure": "nope", "aggregation": "sum"}])))
    rejected("v2/metrics", query=json.dumps(dict(base, toTimestamp="2025-01-01T00:00:00Z")))


# --------------------------------------------------------------------------- raw OTLP
def otlp(body, status, **headers):
    h = {"content-type": "application/json", **headers}
    r = http.post("/api/public/otel/v1/traces", content=body, headers={k.replace("_", "-"): v for k, v in h.items()})
    eq(r.status_code, status, "status (%s)" % r.text[:160])
    return r


@check("OTLP answers: empty, gzip, bad bodies, header version, auth")
def _():
    otlp(b'{"resourceSpans":[]}', 200)
    otlp(b"", 200, content_type="application/x-protobuf")
    tid, span = uuid.uuid4().hex, uuid.uuid4().hex[:16]
    now = time.time_ns()
    doc = {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "my.lib"}, "spans": [
        {"traceId": tid, "spanId": span, "name": "raw", "kind": 1, "startTimeUnixNano": str(now), "endTimeUnixNano": str(now + 5_000_000), "status": {},
         "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}, {"key": "gen_ai.request.model", "value": {"stringValue": "m"}}, {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "7"}}]}]}]}]}
    otlp(gzip.compress(json.dumps(doc).encode()), 200, content_encoding="gzip", x_langfuse_ingestion_version="4")
    r = eventually(lambda: lf.api.observations.get_many(trace_id=tid, fields="basic,model,usage").data, lambda d: len(d) == 1, "raw span")[0]
    eq((r.id, r.name, r.type, r.model, r.usage_details, r.latency), (span, "raw", "GENERATION", "m", {"input": 7, "total": 7}, None), "row")
    otlp(b"{", 400)
    otlp(b"hello", 400, content_type="text/plain")
    otlp(b"not gzip", 400, content_encoding="gzip")
    otlp(b'{"resourceSpans":[]}', 200, x_langfuse_ingestion_version="3")
    otlp(json.dumps(doc).encode(), 400, x_langfuse_ingestion_version="5")
    eq(httpx.post(URL + "/api/public/otel/v1/traces", json={"resourceSpans": []}).status_code, 401, "no auth")
    ids["raw"] = tid


@check("a repeated export is one row")
def _():
    tid, span, now = uuid.uuid4().hex, uuid.uuid4().hex[:16], str(time.time_ns())
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"scope": {"name": "x"}, "spans": [{"traceId": tid, "spanId": span, "name": "twice", "startTimeUnixNano": now, "endTimeUnixNano": now}]}]}]}).encode()
    otlp(body, 200)
    otlp(body, 200)
    eventually(lambda: lf.api.observations.get_many(trace_id=tid).data, lambda d: len(d) >= 1, "span")
    time.sleep(0.5)
    eq(len(lf.api.observations.get_many(trace_id=tid).data), 1, "rows")
    ids["twice"] = tid


# --------------------------------------------------------------------------- deletes
@check("delete one score")
def _():
    lf.api.scores.delete(sid("plain"))
    eventually(lambda: scores(id=sid("plain")), lambda d: d == [], "deletion")


@check("delete dataset item and prompt")
def _():
    lf.api.dataset_items.delete(sid("i2"))
    eventually(lambda: [i.id for i in lf.get_dataset(DS).items], lambda d: d == [sid("i1")], "deletion")
    for name in (PROMPT, CHAT):
        lf.api.prompts.delete(quoted(name))
    get("v2/prompts/" + quoted(PROMPT), status=404)


@check("delete traces with their scores")
def _():
    has(lf.api.trace.delete_multiple(trace_ids=[t for t in (ids.get("trace"), ids.get("raw"), ids.get("twice"), ids.get("legacy")) if t]).message, "message")
    eventually(lambda: lf.api.observations.get_many(trace_id=ids["trace"]).data, lambda d: d == [], "deletion of rows")
    eventually(lambda: scores(trace_id=ids["trace"]), lambda d: d == [], "deletion of scores")
    r = http.request("DELETE", "/api/public/traces", json={"traceIds": []})
    eq(r.status_code, 400, "empty list")


lf.shutdown()
for name in sorted(WANTED - used) if EXACT else ():
    failed += 1
    print("FAIL  %s: no such check" % name)
print("%d passed, %d failed" % (passed, failed))
sys.exit(1 if failed else 0)
