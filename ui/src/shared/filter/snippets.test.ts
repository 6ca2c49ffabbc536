import { describe, expect, it } from "vitest";
import { parse } from "./parse";
import { asCurl, asPython } from "./snippets";

const { conditions, search } = parse(`level:ERROR name:"it's"  "50% \\"off\\""`);
const call = { baseUrl: "https://sonde.example", from: "2026-05-01T00:00:00.000Z", to: "2026-05-02T00:00:00.000Z", conditions, search, fields: "core,basic" };

describe("snippets", () => {
  it("writes a curl command that a shell reads as it is meant", () => {
    expect(asCurl(call)).toMatchInlineSnapshot(`
      "curl --get 'https://sonde.example/api/public/v2/observations' \\
        --user "$SONDE_PUBLIC_KEY:$SONDE_SECRET_KEY" \\
        --data-urlencode 'fromStartTime=2026-05-01T00:00:00.000Z' \\
        --data-urlencode 'toStartTime=2026-05-02T00:00:00.000Z' \\
        --data-urlencode 'fields=core,basic' \\
        --data-urlencode 'limit=100' \\
        --data-urlencode 'filter=[{"type":"stringOptions","column":"level","operator":"any of","value":["ERROR"]},{"type":"stringOptions","column":"name","operator":"any of","value":["it'\\''s"]}]' \\
        --data-urlencode 'search=50% "off"'"
    `);
  });
  it("writes a Python script", () => {
    expect(asPython(call)).toMatchInlineSnapshot(`
      "import base64, json, os, urllib.parse, urllib.request

      url = "https://sonde.example/api/public/v2/observations"
      keys = os.environ["SONDE_PUBLIC_KEY"] + ":" + os.environ["SONDE_SECRET_KEY"]
      headers = {"Authorization": "Basic " + base64.b64encode(keys.encode()).decode()}
      params = {
          "fromStartTime": "2026-05-01T00:00:00.000Z",
          "toStartTime": "2026-05-02T00:00:00.000Z",
          "fields": "core,basic",
          "limit": "100",
          "filter": "[{\\"type\\":\\"stringOptions\\",\\"column\\":\\"level\\",\\"operator\\":\\"any of\\",\\"value\\":[\\"ERROR\\"]},{\\"type\\":\\"stringOptions\\",\\"column\\":\\"name\\",\\"operator\\":\\"any of\\",\\"value\\":[\\"it's\\"]}]",
          "search": "50% \\"off\\"",
      }
      while True:
          request = urllib.request.Request(url + "?" + urllib.parse.urlencode(params), headers=headers)
          page = json.load(urllib.request.urlopen(request))
          for row in page["data"]:
              print(row["id"], row["startTime"])
          if not page["meta"].get("cursor"):
              break
          params["cursor"] = page["meta"]["cursor"]
      "
    `);
  });
});
