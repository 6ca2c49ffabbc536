#!/usr/bin/env python3
"""Makes what generated requests cannot guess, so that they reach more than a 404, and prints it as shell exports.

There are a key of an organization, ids that the server chooses, and things that may be deleted: the key and
the organization that the requests use must outlive them.
"""

import base64
import json
import os
import urllib.request

EVENTS = [
    {
        "id": "seed",
        "type": "trace-create",
        "timestamp": "2026-05-01T10:00:00Z",
        "body": {"id": "seed", "name": "seed", "sessionId": "seed", "timestamp": "2026-05-01T10:00:00Z"},
    }
]


def basic(public, secret):
    return "Basic " + base64.b64encode(f"{public}:{secret}".encode()).decode()


def post(path, body, authorization, more=None):
    """Returns the answer's object and headers."""
    request = urllib.request.Request(
        os.environ["SONDE_URL"] + path,
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": authorization, **(more or {})},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer), answer.headers


def made(path, body, authorization):
    return post(path, body, authorization)[0]


def organizations():
    admin = "Bearer " + os.environ["SONDE_ADMIN_API_KEY"]
    ours, spare = (made("/api/admin/organizations", {"name": name}, admin)["id"] for name in ("generated", "spare"))
    key = made(f"/api/admin/organizations/{ours}/apiKeys", {}, admin)
    spare_key = made(f"/api/admin/organizations/{ours}/apiKeys", {}, admin)
    as_organization = basic(key["publicKey"], key["secretKey"])
    project = made("/api/public/projects", {"name": "generated", "retention": 0}, as_organization)["id"]
    project_key = made(f"/api/public/projects/{project}/apiKeys", {}, as_organization)
    return {
        "ORGANIZATION": ours,
        "ORGANIZATION_PUBLIC_KEY": key["publicKey"],
        "ORGANIZATION_SECRET_KEY": key["secretKey"],
        "SPARE_ORGANIZATION": spare,
        "SPARE_ORGANIZATION_KEY": spare_key["id"],
        "PROJECT": project,
        "SPARE_PROJECT_KEY": project_key["id"],
    }


def people():
    """Makes the first user; its session outlives the requests, because those that would end it lack the CSRF token."""
    first = {"email": "first@example.com", "password": "correct horse battery"}
    answer, headers = post("/api/ui/setup", first, "")
    organization = answer["session"]["organizations"][0]["id"]
    session = headers["Set-Cookie"].split(";")[0]
    csrf = answer["session"]["csrfToken"]
    invitation = {"organizationId": organization, "email": "invited@example.com", "role": "VIEWER"}
    invited, _ = post("/api/ui/invitations", invitation, "", {"Cookie": session, "X-Sonde-Csrf": csrf})
    return {
        "SESSION": session.split("=", 1)[1],
        "CSRF": csrf,
        "FIRST_ORGANIZATION": organization,
        "INVITATION": invited["link"].split("=", 1)[1],
    }


def things():
    project = basic(os.environ["LANGFUSE_PUBLIC_KEY"], os.environ["LANGFUSE_SECRET_KEY"])
    _, headers = post("/api/public/ingestion", {"batch": EVENTS}, project)
    made("/api/public/v2/datasets", {"name": "seed"}, project)
    made("/api/public/dataset-items", {"datasetName": "seed", "id": "seed"}, project)
    made("/api/public/dataset-run-items", {"runName": "seed", "datasetItemId": "seed", "traceId": "seed"}, project)
    config = made("/api/public/score-configs", {"name": "seed", "dataType": "NUMERIC"}, project)["id"]
    queue = made("/api/public/annotation-queues", {"name": "seed", "scoreConfigIds": [config]}, project)["id"]
    view = made("/api/public/saved-views", {"tableName": "traces", "name": "seed"}, project)["id"]
    item = {"objectId": "seed", "objectType": "TRACE"}
    return {
        "RECEIPT": headers["X-Sonde-Receipt"],
        "SAVED_VIEW": view,
        "QUEUE": queue,
        "QUEUE_ITEM": made(f"/api/public/annotation-queues/{queue}/items", item, project)["id"],
    }


for name, value in {**organizations(), **things(), **people()}.items():
    print(f"export {name}={value}")
