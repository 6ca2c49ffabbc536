import { Link } from "@tanstack/react-router";
import { useProject } from "@/shared/api/project";
import { cx } from "@/shared/lib/classes";
import { print } from "@/shared/filter/print";
import { parse } from "@/shared/filter/parse";
import type { ListState, TableName } from "./listState";

interface Preset {
  label: string;
  table: TableName;
  q: string;
  /** What it is good for. */
  title: string;
}

const presets: Preset[] = [
  { label: "Traces", table: "traces", q: "", title: "One row for each trace: its root" },
  { label: "All observations", table: "observations", q: "", title: "Every step of every trace" },
  { label: "Several roots", table: "observations", q: "isRootObservation:true hasParentObservation:true", title: "Rows that were marked as the root of their application, but have a parent. A trace with more than one root hints at a fault of its integration." },
  { label: "No root", table: "observations", q: "isRootObservation:false -has:traceName", title: "Rows whose trace has no root in this project: it was exported elsewhere, or never." },
];

/** The common ways to look at what was recorded. The time range stays. */
export function PresetLinks({ state }: { state: ListState }) {
  const { id } = useProject();
  const now = print(state.query.conditions, state.query.search);
  const chosen = presets.find(({ table, q }) => table === state.table && q !== "" && normal(q) === now) ?? presets.find(({ table, q }) => table === state.table && q === "");
  return (
    <nav aria-label="Presets" className="flex min-w-0 gap-0.5 overflow-x-auto">
      {presets.map((preset) => (
        <Link
          key={preset.label} to={preset.table === "traces" ? "/project/$projectId/traces" : "/project/$projectId/observations"} params={{ projectId: id }}
          search={{ q: preset.q || undefined, range: state.search.range } as never} title={preset.title} aria-current={preset === chosen ? "page" : undefined}
          className={cx("flex h-(--control) shrink-0 items-center rounded-md px-2.5 text-xs whitespace-nowrap", preset === chosen ? "bg-selected font-medium text-text" : "text-text-2 hover:bg-surface hover:text-text")}
        >
          {preset.label}
        </Link>
      ))}
    </nav>
  );
}

function normal(q: string): string {
  const { conditions, search } = parse(q);
  return print(conditions, search);
}
