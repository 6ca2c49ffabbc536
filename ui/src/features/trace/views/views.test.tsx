// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, useState } from "react";
import { afterEach, describe, expect, it } from "vitest";
import { graphOf } from "@/shared/trace/graph";
import { noFolds, visibleRows } from "@/shared/trace/folds";
import { testTrace } from "@/shared/trace/testing";
import { useTree } from "@/shared/trace/view/useTree";
import { cleanup, click, focus, get, press, render } from "@/shared/test/render";
import { GraphCanvas } from "./GraphCanvas";
import { GraphTable } from "./GraphTable";
import { layOut } from "@/shared/trace/layOut";
import { LogView } from "./LogView";
import { TranscriptEntry } from "./TranscriptEntry";

const rows = testTrace([
  { parent: -1, name: "agent", type: "AGENT", start: 0, duration: 100 },
  { parent: 0, name: "chat", type: "GENERATION", start: 50, duration: 10 },
  { parent: 0, name: "search", type: "TOOL", start: 20, duration: 5, level: "ERROR" },
]);
const loaded = { rows, length: rows.length, complete: true };
const source = { projectId: undefined, traceId: "t1", shared: true };

Object.defineProperty(HTMLElement.prototype, "clientHeight", { configurable: true, get: () => 400 });
afterEach(cleanup);

function Log({ onOpen }: { onOpen: () => void }) {
  const [selectedId, setSelectedId] = useState("");
  const tree = useTree({ loaded, marks: undefined, filtering: true, selectedId, onSelect: setSelectedId });
  return <LogView source={source} loaded={loaded} tree={tree} filtering onOpen={onOpen} wide empty={null} />;
}

describe("log", () => {
  it("lists by time, and walks and opens by keys", async () => {
    let opened = 0;
    render(<QueryClientProvider client={new QueryClient()}><Log onOpen={() => opened++} /></QueryClientProvider>);
    const names = () => [...document.querySelectorAll("[role=option]")].map((row) => /agent|chat|search/.exec(row.textContent ?? "")?.[0]);
    expect(names()).toEqual(["agent", "search", "chat"]);
    const chosen = () => document.querySelector("[aria-selected=true]")?.textContent ?? "";
    await focus(get("listbox"));
    await press("ArrowDown");
    await press("ArrowDown");
    expect(chosen()).toContain("search");
    expect(get("listbox").getAttribute("aria-activedescendant")).toBe(document.querySelector("[aria-selected=true]")?.id);
    await press("End");
    expect(chosen()).toContain("chat");
    await press("Home");
    expect(chosen()).toContain("agent");
    await press("Enter");
    expect(opened).toBe(1);
  });
});

describe("graph", () => {
  const graph = graphOf(rows, visibleRows(rows, noFolds(rows)), "name");
  const laid = layOut(graph.nodes.length, graph.edges);

  it("is walked by arrows and chosen by Enter", async () => {
    const chosen: number[] = [];
    render(<GraphCanvas graph={graph} laid={laid} chosen={-1} onChoose={(place) => chosen.push(place)} />);
    const node = (place: number) => document.querySelector<HTMLElement>(`[data-node="${place}"]`)!;
    expect([...document.querySelectorAll("[data-node]")].map((each) => each.getAttribute("tabindex"))).toEqual(["0", "-1", "-1"]);
    await act(async () => node(0).focus());
    const [to, back] = laid.nodes[1]!.y > laid.nodes[0]!.y ? ["ArrowDown", "ArrowUp"] : ["ArrowRight", "ArrowLeft"];
    await press(to);
    expect(Number(document.activeElement?.getAttribute("data-node"))).toBeGreaterThan(0);
    await press("Enter");
    expect(chosen).toHaveLength(1);
    await press(back);
    expect(document.activeElement).toBe(node(0));
  });

  it("says the same as a table", async () => {
    const chosen: number[] = [];
    render(<GraphTable graph={graph} chosen={-1} onChoose={(place) => chosen.push(place)} />);
    const cells = [...document.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("th,td")].map((cell) => cell.textContent));
    expect(cells).toEqual([
      ["AGENTagent", "1", "100 ms", "–", "0", "–"],
      ["GENERATIONchat", "1", "10 ms", "–", "0", "agent"],
      ["TOOLsearch", "1", "5.0 ms", "–", "1", "agent"],
    ]);
    await click(get("button", "TOOLsearch"));
    expect(chosen).toEqual([2]);
  });
});

describe("transcript", () => {
  it("folds agents and leads to the observation", async () => {
    const done: string[] = [];
    render(
      <TranscriptEntry
        source={source} rows={rows} item={{ row: 0, kind: "agent", depth: 0, opening: false }} place={1} count={3} selected={false} wide resting open
        onToggle={() => done.push("fold")} onSelect={() => done.push("select")}
      />,
    );
    expect(get("button", "Fold agent").getAttribute("aria-expanded")).toBe("true");
    await click(get("button", "Fold agent"));
    await click(get("button", "agent"));
    expect(done).toEqual(["fold", "select"]);
    const article = document.querySelector("article");
    expect([article?.getAttribute("aria-posinset"), article?.getAttribute("aria-setsize")]).toEqual(["1", "3"]);
  });
});
