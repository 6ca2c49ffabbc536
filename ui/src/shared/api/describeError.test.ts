import { describe, expect, it } from "vitest";
import { describeError } from "./describeError";
import { ApiError } from "./errors";

const answer = (status: number, hint?: string) => describeError(new ApiError(status, "what the server said", hint, "req-1"), true);

describe("describeError", () => {
  it.each<[number, RegExp, RegExp]>([
    [401, /signed out/i, /sign in/i], [403, /role/i, /admin/i], [404, /not found/i, /another project/i],
    [413, /too much/i, /shorter time range/i], [422, /expensive/i, /shorter time range/i], [504, /too long/i, /shorter time range/i], [503, /busy/i, /again/i],
  ])("words %i", (status, title, hint) => {
    const text = answer(status);
    expect(text.title).toMatch(title);
    expect(text.hint).toMatch(hint);
    expect(text.message).toBe("what the server said");
    expect(text.requestId).toBe("req-1");
    expect(text.details).toContain("req-1");
  });
  it("prefers the server's hint", () => expect(answer(404, "look elsewhere").hint).toBe("look elsewhere"));
  it("has words for answers it does not know", () => {
    expect(answer(500).title).toMatch(/server/i);
    expect(answer(418).title).toMatch(/refused/i);
  });
  it("tells no connection from no answer", () => {
    expect(describeError(new TypeError("Failed to fetch"), false).title).toMatch(/offline/i);
    expect(describeError(new TypeError("Failed to fetch"), true).title).toMatch(/cannot be reached/i);
    expect(describeError(new DOMException("late", "TimeoutError"), true).title).toMatch(/too long/i);
  });
  it("shows what is thrown, whatever it is", () => {
    expect(describeError("plain", true).message).toBe("plain");
    expect(describeError(new TypeError("x is undefined"), true).message).toBe("x is undefined");
  });
});
