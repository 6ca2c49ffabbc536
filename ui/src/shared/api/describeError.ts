import { ApiError } from "./errors";

export interface ErrorText {
  title: string;
  message: string;
  hint: string | undefined;
  requestId: string | undefined;
  /** All of it, to be pasted into a mail. */
  details: string;
}

interface Wording {
  title: string;
  hint?: string;
}

const narrower = "Ask for less: a shorter time range or one more condition.";

const wordings: Record<number, Wording> = {
  401: { title: "You are signed out", hint: "Sign in again to go on." },
  403: { title: "Your role is not enough", hint: "An admin of the project can give you the role that is named above." },
  404: { title: "Not found", hint: "It may have been deleted, be older than the project keeps data, or belong to another project." },
  408: { title: "It took too long", hint: narrower },
  409: { title: "Somebody was faster", hint: "Load it again, and repeat your change on what is there now." },
  413: { title: "Too much at once", hint: narrower },
  422: { title: "Too expensive to answer", hint: narrower },
  429: { title: "Too many requests", hint: "Wait a moment, then try again." },
  503: { title: "The server is busy", hint: "A part of it is starting or has no room. Try again in a moment." },
  504: { title: "It took too long", hint: narrower },
};

/** Says in words what an error means. The server's own message and hint come first. */
export function describeError(error: unknown, online = navigator.onLine): ErrorText {
  const text = error instanceof ApiError ? ofAnswer(error) : ofFailure(error, online);
  return { ...text, details: detailsOf(text, error) };
}

function ofAnswer(error: ApiError): Omit<ErrorText, "details"> {
  const known = wordings[error.status] ?? { title: error.status >= 500 ? "The server could not do it" : "The request was refused" };
  return { title: known.title, message: error.message, hint: error.hint ?? known.hint, requestId: error.requestId };
}

function ofFailure(error: unknown, online: boolean): Omit<ErrorText, "details"> {
  const rest = { hint: undefined, requestId: undefined };
  if (!online) return { ...rest, title: "You are offline", message: "The browser has no connection.", hint: "What is on screen stays; it is asked for again when you are back." };
  if (isNamed(error, "TimeoutError")) return { ...rest, title: "It took too long", message: "The server did not answer in time.", hint: narrower };
  // fetch says TypeError when no answer came at all; every browser words it differently.
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) {
    return { ...rest, title: "The server cannot be reached", message: "No answer came.", hint: "Is it running, and can this browser reach its address?" };
  }
  return { ...rest, title: "Something went wrong here", message: error instanceof Error ? error.message : String(error) };
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

function detailsOf(text: Omit<ErrorText, "details">, error: unknown): string {
  const lines = [
    `${text.title}: ${text.message}`,
    error instanceof ApiError && `status ${error.status}`,
    text.requestId && `request ${text.requestId}`,
    typeof location !== "undefined" && `page ${location.href}`,
    `time ${new Date().toISOString()}`,
    !(error instanceof ApiError) && error instanceof Error && error.stack,
  ];
  return lines.filter(Boolean).join("\n");
}
