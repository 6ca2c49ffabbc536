import { LayoutGrid, Rows3 } from "lucide-react";
import { useState } from "react";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import { Select } from "@/shared/ui/Select";
import { Switch } from "@/shared/ui/Switch";
import { TextField } from "@/shared/ui/TextField";
import type { Against, Layout, Results } from "./useResults";

/** Which items are shown, in which order and how. */
export function Toolbar({ results, scores }: { results: Results; scores: readonly string[] }) {
  const { search, setSearch } = results;
  const [draft, setDraft] = useState(search);
  const [committed, setCommitted] = useState(search);
  if (committed !== search) {
    setCommitted(search);
    setDraft(search);
  }
  const input = "search-items";
  useShortcuts("List", [{ keys: "/", label: "Search items", run: () => document.querySelector<HTMLInputElement>(`[data-search="${input}"]`)?.focus() }]);
  return (
    <div className="flex flex-wrap items-center gap-2 px-3 py-2">
      <form role="search" className="min-w-56 flex-1" onSubmit={(event) => (event.preventDefault(), setSearch(draft.trim()))}>
        <TextField label="Search items" labelHidden data-search={input} type="search" placeholder="Text in input, output, expected output or id" value={draft} onChange={setDraft} onBlur={() => setSearch(draft.trim())} />
      </form>
      <Switch checked={results.regressions} onChange={(on) => results.showRegressions(on, results.score)}>Only regressions</Switch>
      <Select
        label="Score" labelHidden value={results.score} onChange={results.setScore} className="w-40"
        options={[{ value: "", label: "Of any score" }, ...scores.map((name) => ({ value: name, label: `Of ${name}` })), ...(results.score === "" || scores.includes(results.score) ? [] : [{ value: results.score, label: `Of ${results.score}` }])]}
      />
      <Select label="Order" labelHidden value={results.worstFirst ? "worst" : "start"} onChange={(value) => results.setWorstFirst(value === "worst")} className="w-40" options={[{ value: "start", label: "As the baseline ran" }, { value: "worst", label: "Worst change first" }]} />
      <Select label="Items" labelHidden value={results.all ? "all" : "baseline-only"} onChange={(value) => results.setAll(value === "all")} className="w-44" options={[{ value: "baseline-only", label: "Items of the baseline" }, { value: "all", label: "Items of all runs" }]} />
      {results.layout === "grid" && (
        <Select<Against> label="Mark changes" labelHidden value={results.against} onChange={results.setAgainst} className="w-44" options={[{ value: "baseline", label: "Changes to baseline" }, { value: "expected", label: "Changes to expected" }, { value: "nothing", label: "No changes marked" }]} />
      )}
      <SegmentedControl<Layout> label="Layout" value={results.layout} onChange={results.setLayout} iconsOnly segments={[{ value: "grid", label: "Grid", icon: LayoutGrid }, { value: "list", label: "List", icon: Rows3 }]} />
    </div>
  );
}
