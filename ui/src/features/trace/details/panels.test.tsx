// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode, Suspense } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Api } from "@/shared/api/client";
import { type Project, ProjectContext, type Role } from "@/shared/api/project";
import { sessionQuery } from "@/shared/api/session";
import { cleanup, click, get, render } from "@/shared/test/render";
import { CommentsPanel } from "./CommentsPanel";
import { ScoresPanel } from "./ScoresPanel";

const subject = { traceId: "t", observationId: "o" };
const score = { id: "s1", projectId: "p", name: "helpful", dataType: "BOOLEAN", value: true, source: "EVAL", timestamp: "2026-05-01T12:00:00Z", subject: { kind: "observation", id: "o", traceId: "t" } };
const configs = [
  { id: "c1", name: "accuracy", dataType: "NUMERIC", minValue: 0, maxValue: 5, categories: null, isArchived: false, description: "How right it is." },
  { id: "c2", name: "old", dataType: "NUMERIC", minValue: null, maxValue: null, categories: null, isArchived: true, description: null },
];

let scores: object[];
let sent: [string, unknown][];
let comments: { id: string; content: string; authorUserId: string | null; createdAt: string }[];
let unmount: () => void;

const api = {
  GET: async (path: string) => {
    if (path.endsWith("/scores")) return { data: { data: scores } };
    if (path.endsWith("/score-configs")) return { data: { data: configs } };
    return { data: { data: comments, meta: { totalItems: comments.length } } };
  },
  POST: async (path: string, { body }: { body: { content?: string } }) => {
    sent.push([path, body]);
    if (body.content !== undefined) comments = [{ id: "new", content: body.content, authorUserId: "ada", createdAt: new Date().toISOString() }, ...comments];
    return { data: { id: "new" } };
  },
} as unknown as Api;

async function show(node: ReactNode, role: Role = "MEMBER"): Promise<void> {
  const queries = new QueryClient();
  queries.setQueryData(sessionQuery.queryKey, { user: { id: "ada" } } as never);
  const project: Project = { id: "p", name: "shop", organizationId: "o", organizationName: "ACME", role, api };
  render(<QueryClientProvider client={queries}><ProjectContext value={project}><Suspense>{node}</Suspense></ProjectContext></QueryClientProvider>);
  unmount = () => queries.clear();
  await settle();
}

const settle = () => act(() => new Promise<void>((resolve) => setTimeout(resolve, 20)));
const field = (label: string) => {
  const { htmlFor } = [...document.querySelectorAll("label")].find(({ textContent }) => textContent === label)!;
  return document.getElementById(htmlFor) as HTMLInputElement;
};

async function fill(label: string, text: string): Promise<void> {
  const input = field(label);
  await act(async () => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), "value")?.set?.call(input, text);
    input.dispatchEvent(new Event(input instanceof HTMLSelectElement ? "change" : "input", { bubbles: true }));
  });
}

async function submit(name: string): Promise<void> {
  await act(async () => get("button", name).closest("form")!.requestSubmit());
  await settle();
}

beforeEach(() => {
  scores = [score];
  sent = [];
  comments = [];
});
afterEach(() => {
  cleanup();
  unmount();
  vi.unstubAllGlobals();
});

describe("scores", () => {
  it("holds a score to its config, then sends and shows it", async () => {
    await show(<ScoresPanel subject={subject} asked={1} onObservation={() => undefined} />);
    expect(document.activeElement).toBe(field("Score"));
    expect(document.body.textContent).toContain("helpful");
    expect([...(field("Score") as unknown as HTMLSelectElement).options].map(({ text }) => text)).toEqual(["accuracy", "Another score", "Correction of the output"]);
    await fill("Value", "9");
    await submit("Give score");
    expect(sent).toEqual([]);
    expect(field("Value").getAttribute("aria-invalid")).toBe("true");
    await fill("Value", "4");
    await fill("Comment", "close");
    await submit("Give score");
    expect(sent).toEqual([["/api/public/scores", { traceId: "t", observationId: "o", name: "accuracy", value: 4, dataType: "NUMERIC", configId: "c1", comment: "close", source: "ANNOTATION" }]]);
    expect(document.querySelector("[aria-label=Scores]")?.textContent).toContain("close");
    expect(field("Value").value).toBe("");
  });

  it("takes a correction", async () => {
    await show(<ScoresPanel subject={subject} asked={0} onObservation={() => undefined} />);
    await fill("Score", "\n");
    await fill("What the output should have been", "Hello");
    await submit("Give score");
    expect(sent[0]?.[1]).toMatchObject({ name: "output", dataType: "CORRECTION", value: "Hello", source: "ANNOTATION" });
  });

  it("shows a correction as changes to the output", async () => {
    vi.stubGlobal("fetch", async () => new Response('"Your order left today."'));
    scores = [{ ...score, name: "output", dataType: "CORRECTION", value: "Your order leaves today." }];
    await show(<ScoresPanel subject={subject} asked={0} onObservation={() => undefined} />);
    const words = (tag: string) => [...document.querySelectorAll(tag)].map(({ textContent }) => textContent);
    await vi.waitFor(async () => {
      await settle();
      expect([words("del"), words("ins")]).toEqual([["gone: left"], ["new: leaves"]]);
    }, 20_000);
  });

  it("only shows them to people who may not give any", async () => {
    await show(<ScoresPanel subject={subject} asked={0} onObservation={() => undefined} />, "VIEWER");
    expect(document.querySelector("form")).toBeNull();
    expect(document.body.textContent).toContain("Yes");
  });

  it("leads from those of a trace to the observation", async () => {
    let asked = "";
    await show(<ScoresPanel subject={{ traceId: "t", observationId: undefined }} asked={0} onObservation={(id) => (asked = id)} />);
    await click(get("button", "of an observation"));
    expect(asked).toBe("o");
  });
});

describe("comments", () => {
  it("says what to do while there are none, then shows what was written", async () => {
    await show(<CommentsPanel subject={subject} asked={1} />);
    expect(document.body.textContent).toContain("No comments yet");
    expect(document.activeElement).toBe(field("Comment"));
    await fill("Comment", "  Too polite.  ");
    await submit("Comment");
    expect(sent).toEqual([["/api/public/comments", { objectType: "OBSERVATION", objectId: "o", content: "Too polite.", authorUserId: "ada" }]]);
    expect(document.querySelector("[aria-label=Comments]")?.textContent).toMatch(/You.*Too polite\./);
    expect(field("Comment").value).toBe("");
  });
});
