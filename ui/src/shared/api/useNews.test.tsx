// @vitest-environment jsdom
import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cleanup, render } from "@/shared/test/render";
import type { NewsName } from "./news";
import { useNews } from "./useNews";

class Source extends EventTarget {
  static open: Source[] = [];
  constructor(readonly url: string) {
    super();
    Source.open.push(this);
  }
  close() {
    Source.open = Source.open.filter((other) => other !== this);
  }
}

const names: NewsName[] = ["ready", "row.new"];

function Page({ onNews, enabled }: { onNews: () => void; enabled?: boolean }) {
  useNews("p 1", names, onNews, enabled);
  return null;
}

const tell = (name: string) => act(() => Source.open[0]?.dispatchEvent(new Event(name)));

function hide(hidden: boolean): void {
  vi.spyOn(document, "hidden", "get").mockReturnValue(hidden);
  act(() => document.dispatchEvent(new Event("visibilitychange")));
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Source);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("useNews", () => {
  it("tells of the news it was asked for, once a second and after the last", () => {
    const heard = vi.fn();
    render(<Page onNews={heard} />);
    expect(Source.open[0]?.url).toContain("project=p+1");
    tell("trace.updated");
    expect(heard).not.toHaveBeenCalled();
    tell("ready");
    tell("row.new");
    tell("row.new");
    expect(heard).toHaveBeenCalledTimes(1);
    act(() => vi.advanceTimersByTime(1000));
    expect(heard).toHaveBeenCalledTimes(2);
    act(() => vi.advanceTimersByTime(5000));
    expect(heard).toHaveBeenCalledTimes(2);
  });

  it("does not listen in a hidden tab, nor when it is off or gone", () => {
    render(<Page onNews={vi.fn()} />);
    hide(true);
    expect(Source.open).toHaveLength(0);
    hide(false);
    expect(Source.open).toHaveLength(1);
    cleanup();
    expect(Source.open).toHaveLength(0);
    render(<Page onNews={vi.fn()} enabled={false} />);
    expect(Source.open).toHaveLength(0);
  });
});
