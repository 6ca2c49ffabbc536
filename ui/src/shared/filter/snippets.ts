import type { Condition } from "./condition";

/** What a list shows, as a call of the public API. */
export interface Call {
  baseUrl: string;
  from: string;
  to: string;
  conditions: readonly Condition[];
  search: string;
  fields: string;
}

const path = "/api/public/v2/observations";

function parameters({ from, to, conditions, search, fields }: Call): [string, string][] {
  const list: [string, string][] = [
    ["fromStartTime", from],
    ["toStartTime", to],
    ["fields", fields],
    ["limit", "100"],
  ];
  if (conditions.length > 0) list.push(["filter", JSON.stringify(conditions)]);
  if (search !== "") list.push(["search", search]);
  return list;
}

/** A command for a shell of a Unix; the keys come from the environment. */
export function asCurl(call: Call): string {
  const lines = parameters(call).map(([name, value]) => `  --data-urlencode ${shellQuote(`${name}=${value}`)}`);
  return [`curl --get ${shellQuote(call.baseUrl + path)}`, '  --user "$SONDE_PUBLIC_KEY:$SONDE_SECRET_KEY"', ...lines].join(" \\\n");
}

/** Inside single quotes a shell changes nothing but a single quote. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A script that walks all pages, with nothing but the standard library. */
export function asPython(call: Call): string {
  const entries = parameters(call).map(([name, value]) => `    ${JSON.stringify(name)}: ${pythonQuote(value)},`);
  return `import base64, json, os, urllib.parse, urllib.request

url = ${pythonQuote(call.baseUrl + path)}
keys = os.environ["SONDE_PUBLIC_KEY"] + ":" + os.environ["SONDE_SECRET_KEY"]
headers = {"Authorization": "Basic " + base64.b64encode(keys.encode()).decode()}
params = {
${entries.join("\n")}
}
while True:
    request = urllib.request.Request(url + "?" + urllib.parse.urlencode(params), headers=headers)
    page = json.load(urllib.request.urlopen(request))
    for row in page["data"]:
        print(row["id"], row["startTime"])
    if not page["meta"].get("cursor"):
        break
    params["cursor"] = page["meta"]["cursor"]
`;
}

/** A JSON string is a Python string, but for characters outside of the first plane, which JSON may write as they are. */
function pythonQuote(text: string): string {
  return JSON.stringify(text);
}
