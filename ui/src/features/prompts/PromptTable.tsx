import { Link } from "@tanstack/react-router";
import { FileText, Folder as FolderIcon, MessagesSquare } from "lucide-react";
import { formatCount, formatNumberOf } from "@/shared/lib/format";
import { RelativeTime } from "@/shared/ui/RelativeTime";
import { type ShortColumn, ShortTable } from "@/shared/ui/ShortTable";
import type { Folder, Listing, PromptSummary } from "./folders";
import { LabelBadges } from "./LabelBadges";
import { TagBadges } from "./TagBadges";

type Row = { folder: Folder } | { prompt: PromptSummary };

interface PromptTableProps {
  projectId: string;
  listing: Listing;
  /** How often each was used; undefined while nobody knows. */
  usage: ReadonlyMap<string, number> | undefined;
  /** Names with their folders: rows come from several. */
  whole: boolean;
}

const columnsOf = (projectId: string, usage: PromptTableProps["usage"], whole: boolean): ShortColumn<Row>[] => [
  { header: "Name", cell: (row) => ("folder" in row ? <FolderLink projectId={projectId} folder={row.folder} /> : <PromptLink projectId={projectId} prompt={row.prompt} whole={whole} />) },
  { header: "Versions", cell: (row) => ("folder" in row ? formatNumberOf(row.folder.prompts, "prompt") : formatCount(row.prompt.versions.length)) },
  { header: "Labels", cell: (row) => ("folder" in row || row.prompt.labels.length === 0 ? null : <LabelBadges labels={row.prompt.labels} />) },
  { header: "Tags", cell: (row) => ("folder" in row || row.prompt.tags.length === 0 ? null : <TagBadges tags={row.prompt.tags} />) },
  { header: "Observations", cell: (row) => formatCount(usedIn(row, usage)) },
  { header: "Last change", cell: (row) => <RelativeTime value={"folder" in row ? row.folder.changedAt : row.prompt.lastUpdatedAt} /> },
];

/** Folders and prompts, each with what changed last. */
export function PromptTable({ projectId, listing, usage, whole }: PromptTableProps) {
  const rows: Row[] = [...listing.folders.map((folder) => ({ folder })), ...listing.prompts.map((prompt) => ({ prompt }))];
  return <ShortTable label="Prompts" columns={columnsOf(projectId, usage, whole)} rows={rows} keyOf={(row) => ("folder" in row ? `${row.folder.path}/` : row.prompt.name)} />;
}

function usedIn(row: Row, usage: ReadonlyMap<string, number> | undefined): number | null {
  if (usage === undefined) return null;
  if ("prompt" in row) return usage.get(row.prompt.name) ?? 0;
  let sum = 0;
  for (const [name, count] of usage) if (name.startsWith(`${row.folder.path}/`)) sum += count;
  return sum;
}

const linkClass = "inline-flex min-h-6 min-w-0 items-center gap-2 hover:underline";

function FolderLink({ projectId, folder }: { projectId: string; folder: Folder }) {
  return (
    <Link to="/project/$projectId/prompts" params={{ projectId }} search={((before: object) => ({ ...before, folder: folder.path })) as never} className={linkClass}>
      <FolderIcon size={14} aria-hidden className="shrink-0 text-text-3" /><span className="break-all">{folder.name}</span><span className="sr-only"> (folder)</span>
    </Link>
  );
}

function PromptLink({ projectId, prompt, whole }: { projectId: string; prompt: PromptSummary; whole: boolean }) {
  const Icon = prompt.type === "chat" ? MessagesSquare : FileText;
  return (
    <Link to="/project/$projectId/prompts/$" params={{ projectId, _splat: prompt.name }} className={linkClass}>
      <Icon size={14} aria-label={prompt.type === "chat" ? "Chat prompt" : "Text prompt"} className="shrink-0 text-text-3" /><span className="break-all">{whole ? prompt.name : prompt.name.split("/").at(-1)}</span>
    </Link>
  );
}
