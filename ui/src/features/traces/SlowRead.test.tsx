// @vitest-environment jsdom
import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cleanup, click, get, render } from "@/shared/test/render";
import { SlowRead } from "./SlowRead";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => (cleanup(), void vi.useRealTimers()));

describe("SlowRead", () => {
  it("offers to cancel only what takes long", async () => {
    const cancel = vi.fn<() => void>();
    const box = render(<SlowRead onCancel={cancel} />);
    act(() => void vi.advanceTimersByTime(1500));
    expect(box.textContent).toBe("");
    act(() => void vi.advanceTimersByTime(1000));
    await click(get("button", "Cancel"));
    expect(cancel).toHaveBeenCalledOnce();
  });
});
