/** An OTLP export of one trace, as an agent with a search and an answer would send it. It ended now. */
export function sampleTrace(now: number, traceId = randomHex(16)) {
  const root = randomHex(8);
  const question = "How do I see what my agent does?";
  const answer = "Send its steps as a trace: each call of a model or tool becomes an observation with its time, cost and texts.";
  const span = (name: string, type: string, parentSpanId: string | undefined, from: number, to: number, values: Record<string, string>) => ({
    traceId, spanId: parentSpanId === undefined ? root : randomHex(8), parentSpanId, name,
    startTimeUnixNano: nanos(now - from), endTimeUnixNano: nanos(now - to),
    attributes: Object.entries({ type, ...values }).map(([key, stringValue]) => ({ key: `langfuse.observation.${key}`, value: { stringValue } })),
  });
  const spans = [
    span("sample-agent", "agent", undefined, 1800, 0, { input: question, output: answer }),
    span("search-docs", "retriever", root, 1700, 1250, { input: question, output: JSON.stringify([{ title: "Traces", score: 0.92 }]) }),
    span("answer", "generation", root, 1200, 50, {
      "model.name": "gpt-4o-mini",
      input: JSON.stringify([{ role: "system", content: "Answer from the documents." }, { role: "user", content: question }]),
      output: JSON.stringify({ role: "assistant", content: answer }),
      usage_details: JSON.stringify({ input: 48, output: 27 }),
    }),
  ];
  return { resourceSpans: [{ scopeSpans: [{ scope: { name: "sonde-sample" }, spans }] }] };
}

// Nanoseconds since 1970 do not fit a number.
const nanos = (millis: number) => `${Math.round(millis)}000000`;

function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
