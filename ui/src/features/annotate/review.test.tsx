// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { renderInProject, settle } from "@/shared/test/renderInProject";
import { cleanup, press } from "@/shared/test/render";
import type { QueueItem, ScoreConfig } from "./api";
import { emptyDraft } from "./draft";
import { QueuesPage } from "./QueuesPage";
import { ReviewForm } from "./ReviewForm";
import type { ReviewState } from "./useReview";

afterEach(cleanup);

const common = { projectId: "p1", isArchived: false, description: null, minValue: null, maxValue: null, createdAt: "", updatedAt: "" };
const configs: ScoreConfig[] = [
  { ...common, id: "c1", name: "tone", dataType: "CATEGORICAL", categories: [{ label: "Rude", value: 0 }, { label: "Kind", value: 1 }] },
  { ...common, id: "c2", name: "helpful", dataType: "BOOLEAN", categories: null },
];
const item: QueueItem = { id: "i1", queueId: "q1", objectId: "t1", objectType: "TRACE", status: "PENDING", completedAt: null, createdAt: "", updatedAt: "" };
const body = () => document.body.textContent ?? "";
const chosen = () => [...document.querySelectorAll<HTMLInputElement>("input[type=radio]:checked")].map(({ value }) => value);

async function show(mine: boolean) {
  const complete = vi.fn();
  const move = vi.fn();
  const drafts: unknown[] = [];
  const mutation = (mutate: unknown) => ({ mutate, isPending: false, error: null });
  const [onNoted, onKept] = [vi.fn(), vi.fn()];
  const state = { mine, onNoted, onKept, complete: mutation(complete), move: mutation(move) } as unknown as ReviewState;
  await renderInProject(() => <ReviewForm state={state} item={item} configs={configs} initial={emptyDraft} target={{ traceId: "t1" }} output="Hello" />, {
    "PUT /api/public/annotation-queues/{queueId}/items/{itemId}/draft": ({ body: sent }) => (drafts.push(sent), { success: true }),
  });
  return { complete, move, drafts, onNoted, onKept };
}

describe("ReviewForm", () => {
  it("is filled in by keys alone, and saves itself", async () => {
    const { complete, drafts, onNoted, onKept } = await show(true);
    await press("2");
    expect(chosen()).toEqual(["Kind"]);
    expect(document.activeElement?.getAttribute("value")).toBe("Kind");
    (document.activeElement as HTMLElement).blur();
    await press("1");
    expect(chosen()).toEqual(["Kind", "1"]);
    expect(onNoted.mock.lastCall).toMatchObject(["i1", { scores: { c2: { value: "1" } } }]);
    expect(onKept).not.toHaveBeenCalled();
    await new Promise((done) => setTimeout(done, 700));
    await settle();
    expect(onKept.mock.lastCall).toEqual([onNoted.mock.lastCall?.[1]]);
    expect(drafts).toEqual([{ draft: { scores: { c1: { value: "Kind", comment: "" }, c2: { value: "1", comment: "" } }, correction: null } }]);
    expect(body()).toContain("Draft saved");
    await press("Enter", { ctrlKey: true });
    expect(complete).toHaveBeenCalledWith(expect.objectContaining({ target: { traceId: "t1" }, draft: expect.objectContaining({ correction: null }) }));
  });

  it("does not complete what nobody scored", async () => {
    const { complete } = await show(true);
    await press("Enter", { ctrlKey: true });
    expect(complete).not.toHaveBeenCalled();
    expect(body()).toContain("Give at least one score, or skip the item.");
  });

  it("skips by arrows, beside a chosen category, too", async () => {
    const { move } = await show(true);
    await press("ArrowRight");
    await press("2");
    await press("ArrowLeft");
    expect(move.mock.calls).toEqual([["next"], ["previous"]]);
    expect(chosen()).toEqual(["Kind"]);
  });

  it("takes nothing while somebody else has the item", async () => {
    const { complete } = await show(false);
    await press("2");
    await press("Enter", { ctrlKey: true });
    expect(chosen()).toEqual([]);
    expect(complete).not.toHaveBeenCalled();
  });
});

describe("QueuesPage", () => {
  const answers = {
    "GET /api/public/annotation-queues": () => ({ data: [{ id: "q1", name: "Support answers", description: "Ten a day", scoreConfigIds: ["c1"], createdAt: "", updatedAt: "" }], meta: { page: 1, limit: 100, totalItems: 1, totalPages: 1 } }),
    "GET /api/public/annotation-queue-progress": () => ({ data: [{ queueId: "q1", pending: 12, completed: 30, locks: [{ itemId: "i", userId: "u2", mine: false, expiresAt: "" }], assignedUserIds: ["u1"] }], meta: {} }),
    "GET /api/public/score-configs": () => ({ data: configs, meta: {} }),
    "GET /api/public/organizations/memberships": () => ({ memberships: [{ userId: "u1", name: "Ada", email: "ada@example.com" }, { userId: "u2", name: "", email: "zoe@example.com" }] }),
  };
  it("says how far queues are, and who is at work", async () => {
    await renderInProject(QueuesPage, answers);
    for (const words of ["Support answers", "Reviewed: 30 of 42", "zoe@example.com", "Ada", "tone"]) expect(body()).toContain(words);
  });
  it("says what a queue is where there is none", async () => {
    await renderInProject(QueuesPage, { ...answers, "GET /api/public/annotation-queues": () => ({ data: [], meta: { totalItems: 0 } }), "GET /api/public/annotation-queue-progress": () => ({ data: [], meta: {} }) });
    expect(body()).toContain("No annotation queues yet");
  });
});
