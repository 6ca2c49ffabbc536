// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { settingsPage, settingsPages } from "./pages";

describe("settings pages", () => {
  it("begin with the general one, and know no page of another name", () => {
    expect(settingsPage(undefined)?.slug).toBe("general");
    expect(settingsPage("api-keys")?.label).toBe("API keys");
    expect(settingsPage("nothing")).toBeUndefined();
  });

  it("have an address each", () => {
    expect(new Set(settingsPages.map(({ slug }) => slug)).size).toBe(settingsPages.length);
  });
});
