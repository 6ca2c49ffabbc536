import { Braces, Download, GitCompareArrows, Link2, Terminal } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { basePath } from "@/shared/api/client";
import { copyText } from "@/shared/lib/copy";
import { formatNumberOf } from "@/shared/lib/format";
import { fixRange, printRange } from "@/shared/lib/range";
import { stringifySearch } from "@/shared/lib/search";
import { Menu, MenuItem, MenuLine } from "@/shared/ui/Menu";
import { useToast } from "@/shared/ui/Toast";
import type { ListState } from "./listState";

const ExportDialog = lazy(async () => ({ default: (await import("./ExportDialog")).ExportDialog }));
const CallDialog = lazy(async () => ({ default: (await import("./CallDialog")).CallDialog }));

/** Takes the list elsewhere: as a link, as a call of the API, as a file. */
export function ShareMenu({ state, fields, total, trigger }: { state: ListState; fields: string; total: number | undefined; trigger: ReactNode }) {
  const toast = useToast();
  const [exporting, setExporting] = useState(false);
  const [code, setCode] = useState<"curl" | "Python" | null>(null);
  const { asked } = state;
  const link = (fixed: boolean) => {
    const range = fixed ? printRange(fixRange(state.range, state.now)) : state.search.range;
    const url = new URL(location.href);
    url.search = stringifySearch({ ...state.search, range });
    void copyText(url.href).then(() => toast({ title: "Link copied" }));
  };
  const call = asked && { baseUrl: location.origin + basePath, from: asked.from, to: asked.to, conditions: asked.conditions, search: asked.search, fields };
  return (
    <>
      <Menu trigger={trigger} defaultOpen className="w-60">
        <MenuItem icon={Link2} onSelect={() => link(false)}>Copy link</MenuItem>
        <MenuItem icon={Link2} onSelect={() => link(true)}>Copy link with fixed times</MenuItem>
        <MenuLine />
        <MenuItem icon={Terminal} disabled={call === null} onSelect={() => setCode("curl")}>Copy as curl…</MenuItem>
        <MenuItem icon={Braces} disabled={call === null} onSelect={() => setCode("Python")}>Copy as Python…</MenuItem>
        <MenuLine />
        <MenuItem icon={Download} disabled={asked === null} onSelect={() => setExporting(true)}>Export all rows…</MenuItem>
        <MenuLine />
        <MenuItem icon={GitCompareArrows} onSelect={() => state.update({ cmp: "level:ERROR" }, true)}>Compare errors with the rest</MenuItem>
      </Menu>
      {asked !== null && exporting && <Suspense><ExportDialog chosen={{ query: asked }} count={total} words={total === undefined ? "all matching rows" : formatNumberOf(total, "row")} fields={fields} name={state.table} onClose={() => setExporting(false)} /></Suspense>}
      {call !== null && code !== null && <Suspense><CallDialog call={call} language={code} onClose={() => setCode(null)} /></Suspense>}
    </>
  );
}
