// @vitest-environment jsdom
import { act } from "react";
import { afterEach, expect, it } from "vitest";
import { cleanup, render } from "@/shared/test/render";
import { WordDiff } from "./WordDiff";

afterEach(cleanup);

async function show(before: string, after: string) {
  const box = render(<WordDiff label="Changes" before={before} after={after} />);
  await act(async () => void (await import("./WordChanges")));
  await act(() => new Promise((done) => setTimeout(done, 0)));
  const texts = (tag: string) => [...box.querySelectorAll(tag)].map((element) => element.textContent);
  return { text: box.textContent, gone: texts("del"), added: texts("ins") };
}

it("strikes out what is gone and marks what is new", async () => {
  const { gone, added, text } = await show("Orders ship the next day.", "Orders ship in two days.");
  expect(gone.join("")).toContain("next");
  expect(added.join("")).toContain("two");
  expect(text).toContain("changes");
});

it("keeps words together that changed together", async () => {
  const { gone, added } = await show("It left on Monday, by post.", "It left this morning, by post.");
  expect([gone, added]).toEqual([["on Monday"], ["this morning"]]);
});

it("says that nothing changed", async () => expect((await show("same", "same")).text).toContain("Nothing changed"));

it("does not compare texts of endless length", async () => expect((await show("a ".repeat(30_000), "b")).text).toContain("too long"));
