import { expect, it } from "vitest";
import { sampleTrace } from "./sampleTrace";

it("makes one trace of a root and its children, which ended now", () => {
  const now = Date.parse("2026-11-15T16:49:23.123Z");
  const { spans } = sampleTrace(now).resourceSpans[0]!.scopeSpans[0]!;
  const [root, ...children] = spans;
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(root!.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(3);
  expect(root!.parentSpanId).toBeUndefined();
  for (const child of children) {
    expect(child.parentSpanId).toBe(root!.spanId);
    expect(child.startTimeUnixNano > root!.startTimeUnixNano && child.endTimeUnixNano <= root!.endTimeUnixNano).toBe(true);
  }
  expect(root!.endTimeUnixNano).toBe("1794761363123000000");
});
