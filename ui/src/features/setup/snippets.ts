export const languages = [
  { value: "python", label: "Python" },
  { value: "js", label: "JavaScript" },
  { value: "otel", label: "OpenTelemetry" },
  { value: "curl", label: "curl" },
] as const;

export type Language = (typeof languages)[number]["value"];

export const isLanguage = (text: string): text is Language => languages.some(({ value }) => value === text);

interface Key {
  publicKey: string;
  secretKey: string;
}

interface Target extends Key {
  baseUrl: string;
  /** Of OTLP; what a shell makes of it where the key is not known. */
  authorization: { header: string; variable: string };
}

export interface Snippet {
  title: string;
  code: string;
}

/** What to copy, in this order, to send a first trace. With a key it runs as it is; without, dots stand for one. */
export function snippetsFor(language: Language, baseUrl: string, key: Key | undefined): Snippet[] {
  return makers[language]({ baseUrl, ...(key ?? noKey), authorization: key === undefined ? unknownKey : known(key) });
}

const noKey: Key = { publicKey: "pk-lf-...", secretKey: "sk-lf-..." };
const unknownKey = {
  header: "Basic <base64 of pk-lf-...:sk-lf-...>",
  variable: `Basic%20$(printf '%s' 'pk-lf-...:sk-lf-...' | base64 | tr -d '\\n')`,
};
// Variables have values of headers percent-encoded: the space behind "Basic", the padding of base64.
const known = (key: Key) => ({ header: basicAuth(key), variable: encodeURIComponent(basicAuth(key)) });

const sdkEnvironment = ({ baseUrl, publicKey, secretKey }: Target) => `export LANGFUSE_BASE_URL="${baseUrl}"
export LANGFUSE_PUBLIC_KEY="${publicKey}"
export LANGFUSE_SECRET_KEY="${secretKey}"`;

const python = (target: Target): Snippet[] => [
  { title: "Terminal", code: `pip install langfuse\n${sdkEnvironment(target)}` },
  {
    title: "first_trace.py",
    code: `from langfuse import get_client

langfuse = get_client()

question = "What is a trace?"
answer = "All steps of one request."

with langfuse.start_as_current_observation(as_type="span", name="first-trace") as span:
    with langfuse.start_as_current_observation(as_type="generation", name="answer") as call:
        call.update(
            model="gpt-4o-mini",
            input=[{"role": "user", "content": question}],
            output={"role": "assistant", "content": answer},
            usage_details={"input": 12, "output": 6},
        )
    span.update(input=question, output=answer)

langfuse.flush()  # a program that ends at once would lose what waits to be sent
`,
  },
  { title: "Run it", code: "python first_trace.py" },
];

const js = (target: Target): Snippet[] => [
  { title: "Terminal", code: `npm install @langfuse/tracing @langfuse/otel @opentelemetry/sdk-node\n${sdkEnvironment(target)}` },
  {
    title: "first-trace.mjs",
    code: `import { LangfuseSpanProcessor } from "@langfuse/otel";
import { startActiveObservation, startObservation } from "@langfuse/tracing";
import { NodeSDK } from "@opentelemetry/sdk-node";

const sdk = new NodeSDK({ spanProcessors: [new LangfuseSpanProcessor()] });
sdk.start();

const question = "What is a trace?";
const answer = "All steps of one request.";

await startActiveObservation("first-trace", async (span) => {
  const call = startObservation("answer", { model: "gpt-4o-mini" }, { asType: "generation" });
  call.update({
    input: [{ role: "user", content: question }],
    output: { role: "assistant", content: answer },
    usageDetails: { input: 12, output: 6 },
  });
  call.end();
  span.update({ input: question, output: answer });
});

await sdk.shutdown(); // a program that ends at once would lose what waits to be sent
`,
  },
  { title: "Run it", code: "node first-trace.mjs" },
];

const otel = ({ baseUrl, authorization }: Target): Snippet[] => [
  {
    title: "Environment of your program",
    code: `export OTEL_EXPORTER_OTLP_ENDPOINT="${baseUrl}/api/public/otel"
export OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf"
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=${authorization.variable}"`,
  },
  {
    title: "OpenTelemetry Collector",
    code: `exporters:
  otlphttp/sonde:
    endpoint: "${baseUrl}/api/public/otel"
    headers:
      Authorization: "${authorization.header}"`,
  },
];

const curl = ({ baseUrl, publicKey, secretKey }: Target): Snippet[] => [
  {
    title: "Terminal",
    code: `id() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \\n'; }
now=$(date +%s)
curl -i -u '${publicKey}:${secretKey}' \\
  -H 'Content-Type: application/json' \\
  '${baseUrl}/api/public/otel/v1/traces' -d @- <<JSON
{"resourceSpans": [{"scopeSpans": [{"spans": [{
  "traceId": "$(id 16)", "spanId": "$(id 8)", "name": "first-trace",
  "startTimeUnixNano": "$((now - 1))000000000", "endTimeUnixNano": "\${now}000000000",
  "attributes": [
    {"key": "langfuse.observation.type", "value": {"stringValue": "generation"}},
    {"key": "langfuse.observation.model.name", "value": {"stringValue": "gpt-4o-mini"}},
    {"key": "langfuse.observation.input", "value": {"stringValue": "What is a trace?"}},
    {"key": "langfuse.observation.output", "value": {"stringValue": "All steps of one request."}}
  ]
}]}]}]}
JSON
`,
  },
];

const makers: Record<Language, (target: Target) => Snippet[]> = { python, js, otel, curl };

export function basicAuth({ publicKey, secretKey }: Key): string {
  return `Basic ${btoa(`${publicKey}:${secretKey}`)}`;
}
