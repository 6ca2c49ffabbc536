/** An answer other than success, in words for people. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly hint: string | undefined,
    readonly requestId: string | undefined,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Reads the error body of the API: {message, error, hint?}. Never throws. */
export async function toApiError(response: Response): Promise<ApiError> {
  const requestId = response.headers.get("x-request-id") ?? undefined;
  let message = response.statusText || `HTTP ${response.status}`;
  let hint: string | undefined;
  try {
    const body = (await response.clone().json()) as { message?: unknown; hint?: unknown };
    if (typeof body.message === "string") message = body.message;
    if (typeof body.hint === "string") hint = body.hint;
  } catch {
    // Not JSON: the status line has to do.
  }
  return new ApiError(response.status, message, hint, requestId);
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
