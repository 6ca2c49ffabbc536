/** An answer other than success, in words for people. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly hint: string | undefined,
    readonly requestId: string | undefined,
    /** What is wrong with single fields of what was sent, by their names. */
    readonly fields: Record<string, string> = {},
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Reads the error body of the API: {message, error, hint?}, where error may list what is wrong with single fields. Never throws. */
export async function toApiError(response: Response): Promise<ApiError> {
  const requestId = response.headers.get("x-request-id") ?? undefined;
  let message = response.statusText || `HTTP ${response.status}`;
  let hint: string | undefined;
  let fields: Record<string, string> = {};
  try {
    const body = (await response.clone().json()) as { message?: unknown; hint?: unknown; error?: unknown };
    if (typeof body.message === "string") message = body.message;
    if (typeof body.hint === "string") hint = body.hint;
    if (Array.isArray(body.error)) {
      const issues = body.error as { path: string[]; message: string }[];
      fields = Object.fromEntries(issues.map((issue) => [issue.path.join("."), issue.message]));
      message = issues.map((issue) => issue.message).join("; ") || message;
    }
  } catch {
    // Not JSON: the status line has to do.
  }
  return new ApiError(response.status, message, hint, requestId, fields);
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
