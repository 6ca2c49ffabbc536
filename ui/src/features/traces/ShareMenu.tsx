import { Braces, Download, Ellipsis, GitCompareArrows, Link2, Terminal } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { basePath } from "@/shared/api/client";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { copyText } from "@/shared/lib/copy";
import { fixRange, printRange } from "@/shared/lib/range";
import { stringifySearch } from "@/shared/lib/search";
import { IconButton } from "@/shared/ui/IconButton";
import { Menu, MenuItem, MenuLine } from "@/shared/ui/Menu";
import { useToast } from "@/shared/ui/Toast";
import { download } from "./download";
import type { ListState } from "./listState";

const CallDialog = lazy(async () => ({ default: (await import("./CallDialog")).CallDialog }));

/** Takes the list elsewhere: as a link, as a call of the API, as a file. */
export function ShareMenu({ state, fields }: { state: ListState; fields: string }) {
  const project = useProject();
  const toast = useToast();
  const [code, setCode] = useState<"curl" | "Python" | null>(null);
  const { asked } = state;
  const link = (fixed: boolean) => {
    const range = fixed ? printRange(fixRange(state.range, state.now)) : state.search.range;
    const url = new URL(location.href);
    url.search = stringifySearch({ ...state.search, range });
    void copyText(url.href).then(() => toast({ title: "Link copied" }));
  };
  const save = async (format: "csv" | "jsonl") => {
    if (asked === null) return;
    toast({ kind: "info", title: "Exporting…" });
    try {
      const { exportRows } = await import("./bulk");
      const { blob, rows } = await exportRows(project, { query: asked }, format, fields, () => {}, new AbortController().signal);
      download(blob, `${state.table}.${format}`);
      toast({ title: `Exported ${rows.toLocaleString("en")} rows` });
    } catch (error) {
      toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message });
    }
  };
  const call = asked && { baseUrl: location.origin + basePath, from: asked.from, to: asked.to, conditions: asked.conditions, search: asked.search, fields };
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label="More" />} className="w-60">
        <MenuItem icon={Link2} onSelect={() => link(false)}>Copy link</MenuItem>
        <MenuItem icon={Link2} onSelect={() => link(true)}>Copy link with fixed times</MenuItem>
        <MenuLine />
        <MenuItem icon={Terminal} disabled={call === null} onSelect={() => setCode("curl")}>Copy as curl…</MenuItem>
        <MenuItem icon={Braces} disabled={call === null} onSelect={() => setCode("Python")}>Copy as Python…</MenuItem>
        <MenuLine />
        <MenuItem icon={Download} disabled={asked === null} onSelect={() => void save("csv")}>Export as CSV</MenuItem>
        <MenuItem icon={Download} disabled={asked === null} onSelect={() => void save("jsonl")}>Export as JSON lines</MenuItem>
        <MenuLine />
        <MenuItem icon={GitCompareArrows} onSelect={() => state.update({ cmp: "level:ERROR" }, true)}>Compare errors with the rest</MenuItem>
      </Menu>
      {call !== null && code !== null && <Suspense><CallDialog call={call} language={code} onClose={() => setCode(null)} /></Suspense>}
    </>
  );
}
