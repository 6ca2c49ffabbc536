// @vitest-environment jsdom
import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { ofProject } from "../source";
import { partQuery } from "./readPart";

afterEach(() => void vi.unstubAllGlobals());

const read = () => new QueryClient({ defaultOptions: { queries: { retry: false } } }).fetchQuery(partQuery(ofProject("p", "t"), "o", "output", false));
const answers = (response: () => Response) => vi.stubGlobal("fetch", async () => response());

it("reads the beginning, and how long it is", async () => {
  answers(() => new Response("abc", { status: 206, headers: { "Content-Range": "bytes 0-2/9" } }));
  expect(await read()).toMatchObject({ size: 9 });
});

it("takes a range that an empty text has not for an empty text", async () => {
  answers(() => Response.json({ message: "Requested Range Not Satisfiable" }, { status: 416 }));
  const { bytes, size } = await read();
  expect([bytes.length, size]).toEqual([0, 0]);
});

it("tells of every other refusal", async () => {
  answers(() => Response.json({ message: "no" }, { status: 404 }));
  await expect(read()).rejects.toMatchObject({ status: 404 });
});
