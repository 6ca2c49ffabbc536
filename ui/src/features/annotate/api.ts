import { queryOptions } from "@tanstack/react-query";
import { ApiError } from "@/shared/api/errors";
import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";

type Schemas = components["schemas"];
export type Queue = Schemas["AnnotationQueue"];
export type QueueItem = Schemas["AnnotationQueueItem"];
export type Progress = Schemas["AnnotationProgress"];
export type Review = Schemas["AnnotationReview"];
export type ScoreConfig = Schemas["ScoreConfig"];

const path = (queueId: string, itemId: string) => ({ path: { queueId, itemId } });

export const queuesQuery = ({ id, api }: Project) =>
  queryOptions({
    queryKey: ["annotation-queues", id, "with progress"],
    queryFn: async ({ signal }): Promise<{ queues: Queue[]; progress: Map<string, Progress>; total: number }> => {
      const query = { limit: "100" };
      const [queues, progress] = await Promise.all([
        api.GET("/api/public/annotation-queues", { params: { query }, signal }),
        api.GET("/api/public/annotation-queue-progress", { params: { query }, signal }),
      ]);
      return { queues: queues.data!.data, progress: new Map(progress.data!.data.map((one) => [one.queueId, one])), total: queues.data!.meta.totalItems };
    },
  });

export const queueQuery = ({ id, api }: Project, queueId: string) =>
  queryOptions({
    queryKey: ["annotation-queue", id, queueId],
    queryFn: async ({ signal }): Promise<Queue> => (await api.GET("/api/public/annotation-queues/{queueId}", { params: { path: { queueId } }, signal })).data!,
  });

export const progressQuery = ({ id, api }: Project, queueId: string) =>
  queryOptions({
    queryKey: ["annotation-progress", id, queueId],
    refetchInterval: 15_000, // others work on it, too
    queryFn: async ({ signal }): Promise<Progress> => (await api.GET("/api/public/annotation-queues/{queueId}/progress", { params: { path: { queueId } }, signal })).data!,
  });

/** All configs of the project, archived ones included: a queue may name one. */
export const allConfigsQuery = ({ id, api }: Project) =>
  queryOptions({
    queryKey: ["score-configs", id, "all of them"],
    queryFn: async ({ signal }): Promise<ScoreConfig[]> => (await api.GET("/api/public/score-configs", { params: { query: { limit: "100" } }, signal })).data!.data,
  });

export async function saveQueue({ api }: Project, queueId: string | undefined, body: { name: string; description: string | null; scoreConfigIds: string[] }): Promise<Queue> {
  const { data } = queueId === undefined
    ? await api.POST("/api/public/annotation-queues", { body })
    : await api.PUT("/api/public/annotation-queues/{queueId}", { params: { path: { queueId } }, body });
  return data!;
}

/** Makes the assignments what they should be. */
export async function assign({ api }: Project, queueId: string, before: readonly string[], after: readonly string[]): Promise<void> {
  const params = { path: { queueId } };
  const add = after.filter((userId) => !before.includes(userId)).map((userId) => api.POST("/api/public/annotation-queues/{queueId}/assignments", { params, body: { userId } }));
  const remove = before.filter((userId) => !after.includes(userId)).map((userId) => api.DELETE("/api/public/annotation-queues/{queueId}/assignments", { params, body: { userId } }));
  await Promise.all([...add, ...remove]);
}

/** The next item that nobody else reviews, locked; its item is null when nothing is left. */
export async function takeNext({ api }: Project, queueId: string, from?: { itemId: string; direction: "next" | "previous" }): Promise<Review> {
  const body = from === undefined ? {} : { fromItemId: from.itemId, direction: from.direction };
  return (await api.POST("/api/public/annotation-queues/{queueId}/next", { params: { path: { queueId } }, body })).data!;
}

/** One item, locked if nobody else has it; else as it is. */
export async function takeItem({ api }: Project, queueId: string, itemId: string): Promise<Review> {
  try {
    return (await api.PUT("/api/public/annotation-queues/{queueId}/items/{itemId}/lock", { params: path(queueId, itemId) })).data!;
  } catch (error) {
    if (!isConflict(error)) throw error;
    return (await api.GET("/api/public/annotation-queues/{queueId}/items/{itemId}/review", { params: path(queueId, itemId) })).data!;
  }
}

export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409;

/** With keepalive it arrives although its page is gone. Browsers take no long drafts then. */
export async function saveDraft({ api }: Project, queueId: string, itemId: string, draft: object, keepalive = false): Promise<void> {
  await api.PUT("/api/public/annotation-queues/{queueId}/items/{itemId}/draft", { params: path(queueId, itemId), body: { draft: draft as Record<string, never> }, keepalive });
}

/** Others may take the item at once. */
export async function letGo({ api }: Project, queueId: string, itemId: string): Promise<void> {
  await api.DELETE("/api/public/annotation-queues/{queueId}/items/{itemId}/lock", { params: path(queueId, itemId) });
}

export async function completeItem({ api }: Project, queueId: string, itemId: string): Promise<void> {
  await api.POST("/api/public/annotation-queues/{queueId}/items/{itemId}/completion", { params: path(queueId, itemId) });
}

export async function reopenItem({ api }: Project, queueId: string, itemId: string): Promise<Review> {
  return (await api.DELETE("/api/public/annotation-queues/{queueId}/items/{itemId}/completion", { params: path(queueId, itemId) })).data!;
}

/** The trace that an observation belongs to; null when it is not there. */
export async function traceOf({ api }: Project, observationId: string, signal: AbortSignal): Promise<string | null> {
  const filter = JSON.stringify([{ type: "string", column: "id", operator: "=", value: observationId }]);
  return (await api.GET("/api/public/v2/observations", { params: { query: { fields: "core", filter, limit: 1 } }, signal })).data!.data[0]?.traceId ?? null;
}
