// @vitest-environment jsdom
import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "@/shared/api/errors";
import { cleanup, click, get, render } from "@/shared/test/render";
import { Button } from "./Button";
import { ErrorBoundary } from "./ErrorBoundary";
import { ErrorState } from "./ErrorState";
import { ProgressBar } from "./ProgressBar";
import { linePath } from "./Sparkline";
import { ToastProvider, useToast } from "./Toast";

afterEach(cleanup);

function Teller() {
  const toast = useToast();
  return (
    <>
      <Button onClick={() => toast({ title: "Saved" })}>Save</Button>
      <Button onClick={() => toast({ kind: "error", title: "Lost" })}>Lose</Button>
    </>
  );
}

describe("ProgressBar", () => {
  it("tells how far it is, and claims nothing without a total", () => {
    const box = render(<><ProgressBar label="Read" done={1200} total={6000} /><ProgressBar label="Deleted" done={3} /></>);
    expect(get("progressbar", "Read").getAttribute("aria-valuenow")).toBe("1200");
    expect(get("progressbar", "Deleted").hasAttribute("aria-valuenow")).toBe(false);
    expect(box.textContent).toBe("Read: 1,200 of 6,000Deleted: 3");
  });
});

describe("Toast", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  it("goes by itself unless it is an error", async () => {
    render(<ToastProvider><Teller /></ToastProvider>);
    await click(get("button", "Save"));
    await click(get("button", "Lose"));
    expect(document.body.textContent).toContain("Saved");
    act(() => void vi.advanceTimersByTime(6001));
    expect(document.body.textContent).not.toContain("Saved");
    expect(get("alert").textContent).toContain("Lost");
    await click(get("button", "Close notification"));
    expect(document.querySelector("[role=alert]")).toBeNull();
  });
});

describe("errors", () => {
  it("shows what to tell the operator", async () => {
    const retry = vi.fn();
    render(<ErrorState error={new ApiError(403, "needs the role ADMIN", undefined, "req-7")} onRetry={retry} />);
    expect(get("alert").textContent).toContain("needs the role ADMIN");
    expect(get("alert").textContent).toContain("req-7");
    await click(get("button", "Try again"));
    expect(retry).toHaveBeenCalledOnce();
  });
  it("stay in their panel, and go when it tries again", async () => {
    const quiet = vi.spyOn(console, "error").mockImplementation(() => undefined);
    let broken = true;
    const Panel = () => {
      if (broken) throw new Error("panel broke");
      return <p>fine</p>;
    };
    render(<><p>neighbour</p><ErrorBoundary><Panel /></ErrorBoundary></>);
    expect(document.body.textContent).toContain("neighbour");
    expect(get("alert").textContent).toContain("panel broke");
    broken = false;
    await click(get("button", "Try again"));
    expect(document.body.textContent).toContain("fine");
    quiet.mockRestore();
  });
});

describe("linePath", () => {
  it("lifts the pen over gaps and draws a lone value as a dot", () => {
    expect(linePath([1, 2])).toBe("M0.0 22.0L100.0 2.0");
    expect(linePath([1, null, 2])).toMatch(/^M0\.0 22\.0h0\.1M100\.0 2\.0h0\.1$/);
    expect(linePath([])).toBe("");
    expect(linePath([null])).toBe("");
    expect(linePath([5, 5])).not.toContain("NaN");
  });
});
