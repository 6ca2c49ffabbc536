import createClient, { type Client, type Middleware } from "openapi-fetch";
import { toApiError } from "./errors";
import type { paths } from "./schema.d.ts";

export type Api = Client<paths>;

/** Where the server lives: "" at the root of a host, "/sonde" behind a proxy. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, "");

let csrfToken = "";

/** The session's token; without it the server refuses every change. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** An id for requests that may have to be canceled. Not randomUUID: browsers have that on secure addresses only. */
export function newRequestId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What each request of a signed-in person carries. */
export function requestHeaders(projectId: string | undefined, method: string): Record<string, string> {
  const headers: Record<string, string> = {};
  if (projectId !== undefined) headers["X-Sonde-Project"] = projectId;
  if (method !== "GET" && method !== "HEAD") headers["X-Sonde-Csrf"] = csrfToken;
  return headers;
}

function session(projectId: string | undefined): Middleware {
  return {
    onRequest({ request }) {
      for (const [name, value] of Object.entries(requestHeaders(projectId, request.method))) request.headers.set(name, value);
      return request;
    },
    async onResponse({ response }) {
      if (!response.ok) throw await toApiError(response);
      return response;
    },
  };
}

/** A typed client that acts in one project, or in none for what belongs to the person. Errors are thrown as ApiError. */
export function createApi(projectId?: string): Api {
  const client = createClient<paths>({ baseUrl: basePath, credentials: "same-origin" });
  client.use(session(projectId));
  return client;
}

/** For answers that openapi-fetch cannot stream: skeletons, parts of inputs and outputs. */
export async function fetchRaw(projectId: string | undefined, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...requestHeaders(projectId, init.method ?? "GET"), ...(init.headers as Record<string, string>) };
  const response = await fetch(basePath + path, { ...init, headers, credentials: "same-origin" });
  if (!response.ok) throw await toApiError(response);
  return response;
}
