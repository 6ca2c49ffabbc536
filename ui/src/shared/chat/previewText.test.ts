import { expect, it } from "vitest";
import { previewText } from "./previewText";

it.each([
  ["plain\n  text", "plain text"],
  ['[{"role":"system","content":"Be nice"},{"role":"user","content":"Where is\\nmy \\"order\\"?"}]', 'Where is my "order"?'],
  ['[{"role":"user","content":"cut in the mid', "cut in the mid"],
  ['[{"role":"user","content":"cut in an escape \\', "cut in an escape"],
  ['[{"role":"user","content":[{"type":"text","text":"part"}]}]', "part"],
  ['{"question":"no message"}', '{"question":"no message"}'],
  ['[{"role":"assistant","content":"","tool_calls":[]}]', '[{"role":"assistant","content":"","tool_calls":[]}]'],
])("%s", (text, want) => {
  expect(previewText(text)).toBe(want);
});
