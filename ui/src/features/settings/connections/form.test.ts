import { describe, expect, it } from "vitest";
import { connectionOf, emptyForm, problemsOf } from "./form";

const good = { ...emptyForm, provider: " openai ", secretKey: " sk-1 " };

describe("the form of a connection", () => {
  it("says what is wrong at its field", () => {
    expect(Object.keys(problemsOf(emptyForm))).toEqual(["provider", "secretKey"]);
    expect(problemsOf(good)).toEqual({});
    expect(problemsOf({ ...good, baseURL: "gateway.example" }).baseURL).toContain("https://");
    expect(problemsOf({ ...good, withDefaultModels: false }).models).toContain("at least one");
    expect(Object.keys(problemsOf({ ...good, adapter: "azure" }))).toEqual(["baseURL", "models"]);
    expect(problemsOf({ ...good, headers: "no header" }).headers).toContain("Name: value");
    expect(problemsOf({ ...good, headers: "X-Team: search\nX-Kept: " }).headers).toBe("Give X-Kept a value, or take its line out.");
  });

  it("becomes what the server takes", () => {
    expect(connectionOf({ ...good, models: "a, b\nc", headers: "X-Team: search: eu\n\nX-Region: eu", baseURL: " https://gateway.example/v1 " })).toEqual({
      provider: "openai", adapter: "openai", secretKey: "sk-1", baseURL: "https://gateway.example/v1", customModels: ["a", "b", "c"], withDefaultModels: true, extraHeaders: { "X-Team": "search: eu", "X-Region": "eu" },
    });
    expect(connectionOf(good)).toMatchObject({ baseURL: null, customModels: [], extraHeaders: null });
  });
});
