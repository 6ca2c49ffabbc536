import { describe, expect, it } from "vitest";
import { safeNext } from "./next";

describe("safeNext", () => {
  it.each<[string | undefined, string]>([
    [undefined, "/"],
    ["", "/"],
    ["/project/p/traces?q=level:ERROR&range=7d#x", "/project/p/traces?q=level:ERROR&range=7d#x"],
    ["/auth/sign-up?invitation=8fTk", "/auth/sign-up?invitation=8fTk"],
    ["https://other.example/project", "/"],
    ["//other.example/project", "/"],
    ["/\\other.example", "/"],
    ["\\\\other.example", "/"],
    ["/\t/other.example", "/"],
    ["/.//other.example", "/"],
    ["javascript:alert(1)", "/"],
    ["project/p", "/"],
    ["/auth/sign-in?next=/auth/sign-in", "/"],
  ])("%j leads to %s", (next, page) => expect(safeNext(next)).toBe(page));
});
