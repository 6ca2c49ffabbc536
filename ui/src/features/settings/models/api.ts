import { queryOptions } from "@tanstack/react-query";
import type { Project } from "@/shared/api/project";
import type { Model, ModelBody } from "./definition";

const pageSize = "100";

/** All definitions that the project sees; there are a few hundred. */
export const modelsQuery = (project: Project) =>
  queryOptions({
    queryKey: ["models", project.id],
    queryFn: async ({ signal }): Promise<Model[]> => {
      const models: Model[] = [];
      for (let page = 1, pages = 1; page <= pages; page++) {
        // oxlint-disable-next-line no-await-in-loop -- the first page tells how many there are
        const { data } = await project.api.GET("/api/public/models", { params: { query: { page: String(page), limit: pageSize } }, signal });
        models.push(...data!.data);
        pages = data!.meta.totalPages;
      }
      return models;
    },
  });

export async function saveModel({ api }: Project, id: string | undefined, body: ModelBody): Promise<Model> {
  const { data } = id === undefined
    ? await api.POST("/api/public/models", { body })
    : await api.PUT("/api/public/models/{modelId}", { params: { path: { modelId: id } }, body });
  return data!;
}

export async function deleteModel({ api }: Project, id: string): Promise<void> {
  await api.DELETE("/api/public/models/{modelId}", { params: { path: { modelId: id } } });
}

/** How far back models without a price are looked for. */
export const recentDays = 30;

const dayMs = 24 * 3600_000;

export interface Unpriced {
  names: { name: string; count: number }[];
  /** The newest rows stand for all. */
  sampled: boolean;
  /** There may be more names than the answer holds. */
  more: boolean;
}

const none = (column: string, operator: "is null" | "is not null") => ({ type: "null", column, operator, value: "" });

/** Names of models whose observations found no definition when they were stored, and came without a cost of their own. */
export const unpricedQuery = (project: Project) =>
  queryOptions({
    queryKey: ["unpriced-models", project.id],
    queryFn: async ({ signal }): Promise<Unpriced> => {
      const filter = JSON.stringify([none("model", "is not null"), none("modelId", "is null"), none("totalCost", "is null")]);
      const fromStartTime = new Date(Date.now() - recentDays * dayMs).toISOString();
      const { data } = await project.api.GET("/api/public/facets", { params: { query: { fields: "model", filter, fromStartTime, limit: pageSize } }, signal });
      const values = data!.data.model ?? [];
      return { names: values.flatMap(({ value, count }) => (value === null ? [] : [{ name: value, count }])), sampled: data!.meta.sampled, more: values.length === Number(pageSize) };
    },
  });

/** Gives stored observations of a model the cost that they have by today's prices, in the background. */
export async function reprice({ api }: Project, model: string): Promise<void> {
  const now = Date.now();
  await api.POST("/api/public/jobs", { body: { kind: "reprice", from: new Date(now - recentDays * dayMs).toISOString(), to: new Date(now).toISOString(), model } });
}
