import { expect, it } from "vitest";
import { withValue } from "./withValue";

it.each([
  ["model", "gpt", "model:gpt"],
  ["userId", null, "-has:userId"],
  ["prompt", "a:b:3", "promptName:a:b promptVersion:3"],
  ["prompt", null, "-has:promptName"],
  ["metadata.tier", "gold", "metadata.tier:gold"],
  ["metadata.tier", null, "-has:metadata.tier"],
  ["metadataKeys", "tier", "has:metadata.tier"],
  ["metadata.t", "x".repeat(256), `metadata.t:${"x".repeat(256)}*`],
  ["scoreNames", "quality", undefined],
])("%s %s", (field, value, want) => {
  expect(withValue("", field, value)).toBe(want);
});
