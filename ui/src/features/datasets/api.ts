import { queryOptions } from "@tanstack/react-query";
import type { Project } from "@/shared/api/project";
import type { components } from "@/shared/api/schema.d.ts";
import { elementsOf, membersOf } from "@/shared/json/raw";
import { pageSize, type Page } from "@/shared/table/useRowPages";

type Schemas = components["schemas"];
export type Dataset = Schemas["DatasetWithCounts"];
export type ItemRow = Schemas["DatasetRow"];
export type ItemFailure = Schemas["DatasetItemFailure"];

export const fields = ["input", "expectedOutput", "metadata"] as const;
export type Field = (typeof fields)[number];
export const fieldLabels: Record<Field, string> = { input: "Input", expectedOutput: "Expected output", metadata: "Metadata" };

/** JSON texts; "" where there is none. Texts, because a number of JSON may be longer than one of JavaScript. */
export type ItemTexts = Record<Field, string>;

/** An item as the server wrote it. */
export interface Item extends ItemTexts {
  id: string;
  status: "ACTIVE" | "ARCHIVED";
  sourceTraceId: string | null;
  sourceObservationId: string | null;
  version: string;
  createdAt: string;
}

const keyOf = (project: Project, ...rest: unknown[]) => ["datasets", project.id, ...rest] as const;

/** All that was read of datasets: what a change makes old. */
export const allOf = (project: Project) => keyOf(project);

export const summariesQuery = (project: Project) =>
  queryOptions({ queryKey: keyOf(project, "summaries"), queryFn: async ({ signal }) => (await project.api.GET("/api/public/dataset-summaries", { signal })).data?.data ?? [] });

export const datasetQuery = (project: Project, datasetId: string) =>
  queryOptions({
    queryKey: keyOf(project, datasetId),
    queryFn: async ({ signal }) => {
      const { data } = await project.api.GET("/api/public/dataset-summaries/{datasetId}", { params: { path: { datasetId } }, signal });
      return data!;
    },
  });

/** When items of a dataset changed. */
export const timesQuery = (project: Project, datasetId: string) =>
  queryOptions({
    queryKey: keyOf(project, datasetId, "versions"),
    queryFn: async ({ signal }) => (await project.api.GET("/api/public/dataset-summaries/{datasetId}/versions", { params: { path: { datasetId } }, signal })).data!,
  });

export interface RowsAsked {
  search: string;
  status: string;
  version: string;
}

export const rowsKey = (project: Project, datasetId: string, asked: RowsAsked) => keyOf(project, datasetId, "items", asked.search, asked.status, asked.version);

export async function loadRows({ api }: Project, datasetId: string, { search, status, version }: RowsAsked, cursor: string | undefined, signal: AbortSignal): Promise<Page<ItemRow>> {
  const page = Number(cursor ?? "1");
  const query = { search: search || undefined, status: status as ItemRow["status"], version: version || undefined, page: String(page), limit: String(pageSize) };
  const { data } = await api.GET("/api/public/dataset-summaries/{datasetId}/items", { params: { path: { datasetId }, query }, signal });
  return { list: data!.data, cursor: page < data!.meta.totalPages ? String(page + 1) : null, total: data!.meta.totalItems };
}

/** An item as it is, or as it was at a time. */
export const itemQuery = (project: Project, itemId: string, version: string) =>
  queryOptions({
    queryKey: keyOf(project, "item", itemId, version),
    queryFn: async ({ signal }) => {
      const answer =
        version === ""
          ? await project.api.GET("/api/public/dataset-items/{datasetItemId}", { params: { path: { datasetItemId: itemId } }, parseAs: "text", signal })
          : await project.api.GET("/api/public/dataset-items/{datasetItemId}/versions/{version}", { params: { path: { datasetItemId: itemId, version } }, parseAs: "text", signal });
      return readItem(answer.data ?? "{}");
    },
  });

export function readItem(text: string): Item {
  const members = membersOf(text);
  const json = (name: string) => {
    const value = members.get(name) ?? "null";
    return value === "null" ? "" : value;
  };
  const plain = <T>(name: string) => JSON.parse(members.get(name) ?? "null") as T;
  return {
    id: plain("id"), status: plain("status"), sourceTraceId: plain("sourceTraceId"), sourceObservationId: plain("sourceObservationId"), version: plain("version"), createdAt: plain("createdAt"),
    input: json("input"), expectedOutput: json("expectedOutput"), metadata: json("metadata"),
  };
}

export const itemVersionsQuery = (project: Project, itemId: string) =>
  queryOptions({
    queryKey: keyOf(project, "item", itemId, "versions"),
    queryFn: async ({ signal }) => (await project.api.GET("/api/public/dataset-items/{datasetItemId}/versions", { params: { path: { datasetItemId: itemId }, query: { limit: "100" } }, signal })).data!,
  });

const written = (texts: Partial<ItemTexts>) => fields.flatMap((field) => ((texts[field] ?? "").trim() === "" ? [] : [`"${field}":${texts[field]}`]));

/** What would keep an item from being written, by the schemas of its dataset. */
export async function checkItem({ api }: Project, datasetId: string, id: string | undefined, texts: ItemTexts, signal: AbortSignal): Promise<ItemFailure[]> {
  const members = [...(id === undefined ? [] : [`"id":${JSON.stringify(id)}`]), ...written(texts)];
  const body = `{"datasetId":${JSON.stringify(datasetId)},"dryRun":true,"items":[{${members.join(",")}}]}`;
  const { data } = await api.POST("/api/public/dataset-item-batches", { body: { datasetId, items: [] }, bodySerializer: () => body, signal });
  return data?.failures ?? [];
}

/** Makes an item, or adds a version to it. Texts go out as they are written. */
export async function saveItem({ api }: Project, datasetName: string, change: Partial<ItemTexts> & { id?: string; status?: Item["status"] }): Promise<Item> {
  const members = [
    `"datasetName":${JSON.stringify(datasetName)}`,
    ...(change.id === undefined ? [] : [`"id":${JSON.stringify(change.id)}`]),
    ...(change.status === undefined ? [] : [`"status":"${change.status}"`]),
    ...written(change),
  ];
  const { data } = await api.POST("/api/public/dataset-items", { body: { datasetName }, bodySerializer: () => `{${members.join(",")}}`, parseAs: "text" });
  return readItem(data ?? "{}");
}

/** Every active item of a dataset at a time, page by page. */
export async function* walkItems({ api }: Project, datasetName: string, version: string, signal: AbortSignal): AsyncGenerator<{ items: Item[]; total: number }> {
  for (let page = 1, pages = 1; page <= pages; page++) {
    // oxlint-disable-next-line no-await-in-loop -- texts are large: one page at a time
    const { data } = await api.GET("/api/public/dataset-items", { params: { query: { datasetName, version, page: String(page), limit: "100" } }, parseAs: "text", signal });
    const members = membersOf(data ?? "{}");
    const meta = JSON.parse(members.get("meta") ?? "{}") as Schemas["PageMeta"];
    pages = meta.totalPages;
    yield { items: elementsOf(members.get("data") ?? "[]").map(readItem), total: meta.totalItems };
  }
}
