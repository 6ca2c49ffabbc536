// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { cleanup, focus, get, press, render, type } from "@/shared/test/render";
import { QueryBar } from "./QueryBar";

afterEach(cleanup);

const known = { level: [{ value: "ERROR", count: 3 }] };

async function bar(value = "") {
  const commit = vi.fn();
  render(<QueryBar label="Query" value={value} onCommit={commit} known={known} />);
  const field = get("combobox", "Query") as HTMLInputElement;
  await focus(field);
  return { commit, field };
}

describe("QueryBar", () => {
  it("completes by arrows and Enter, and is entered by another Enter", async () => {
    const { commit, field } = await bar();
    await type(field, "lev");
    await press("ArrowDown");
    expect(field.getAttribute("aria-activedescendant")).toBe(get("option").id);
    await press("Enter");
    expect(field.value).toBe("level:");
    await press("ArrowDown");
    await press("Tab");
    expect(field.value).toBe("level:ERROR ");
    expect(commit).not.toHaveBeenCalled();
    await press("Enter");
    expect(commit).toHaveBeenCalledWith("level:ERROR");
  });

  it("says what is wrong, tied to the field, and keeps it", async () => {
    const { commit, field } = await bar();
    await type(field, "latency:>fast");
    expect(document.querySelector("[role=alert]")).toBeNull(); // still typing
    await press("Enter");
    const alert = get("alert");
    expect(alert.textContent).toContain("This is not a number.");
    expect(field.getAttribute("aria-describedby")).toBe(alert.id);
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(commit).not.toHaveBeenCalled();
  });

  it("goes back by Escape: first the list, then the text", async () => {
    const { commit, field } = await bar("level:ERROR");
    await type(field, "na");
    await press("Escape");
    expect(field.value).toBe("na");
    expect(field.getAttribute("aria-expanded")).toBe("false");
    await press("Escape");
    expect(field.value).toBe("level:ERROR");
    expect(commit).not.toHaveBeenCalled();
  });

  it("is reached by a slash from anywhere", async () => {
    render(<button type="button">elsewhere</button>);
    const { field } = await bar();
    await focus(get("button", "elsewhere"));
    await press("/");
    expect(document.activeElement).toBe(field);
  });
});
