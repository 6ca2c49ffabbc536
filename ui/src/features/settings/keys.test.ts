// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { endOf, envFile } from "./keys";

describe("endOf", () => {
  it("counts whole days from now", () => {
    expect(endOf("30", Date.UTC(2026, 0, 1))).toBe("2026-01-31T00:00:00.000Z");
    expect(endOf("never", 0)).toBeNull();
  });
});

describe("envFile", () => {
  it("is what SDKs read", () => {
    expect(envFile("pk-lf-1", "sk-lf-1", "https://sonde.example.com/base")).toBe(
      "LANGFUSE_PUBLIC_KEY=pk-lf-1\nLANGFUSE_SECRET_KEY=sk-lf-1\nLANGFUSE_BASE_URL=https://sonde.example.com/base",
    );
  });
});
