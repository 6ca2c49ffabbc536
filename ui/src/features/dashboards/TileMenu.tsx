import { useNavigate } from "@tanstack/react-router";
import { BellPlus, Braces, EllipsisVertical, List } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { basePath } from "@/shared/api/client";
import { allows, useProject } from "@/shared/api/project";
import { CodeBlock } from "@/shared/ui/CodeBlock";
import { Dialog } from "@/shared/ui/Dialog";
import { IconButton } from "@/shared/ui/IconButton";
import { Menu, MenuItem } from "@/shared/ui/Menu";
import { metricsCurl } from "./curl";
import { rowsBehind } from "./drill";
import { askedOf, type Scope, type Tile, type TileQuery } from "./model";

const NewAlertDialog = lazy(async () => ({ default: (await import("./NewAlertDialog")).NewAlertDialog }));

/** What can be done with a tile besides looking at it. */
export function TileMenu({ tile, query, scope, dashboardId }: { tile: Tile; query: TileQuery; scope: Scope; dashboardId: string }) {
  const { id: projectId, role } = useProject();
  const navigate = useNavigate();
  const [open, setOpen] = useState<"query" | "alert" | null>(null);
  const rows = rowsBehind(query, scope);
  const asked = askedOf(tile, query, scope);
  const close = () => setOpen(null);
  return (
    <>
      <Menu trigger={<IconButton icon={EllipsisVertical} label={`Actions of ${tile.title || "the tile"}`} />}>
        {rows !== undefined && <MenuItem icon={List} onSelect={() => void navigate({ to: `/project/$projectId/${rows.list}`, params: { projectId }, search: rows.search as never })}>Show the rows</MenuItem>}
        <MenuItem icon={Braces} onSelect={() => setOpen("query")}>View query</MenuItem>
        {allows(role, "MEMBER") && tile.kind !== "histogram" && <MenuItem icon={BellPlus} onSelect={() => setOpen("alert")}>Create an alert</MenuItem>}
      </Menu>
      {open === "query" && (
        <Dialog open onOpenChange={close} size="wide" title={`Query of ${tile.title || "the tile"}`} description="The same figures from the public API. Keys are read from SONDE_PUBLIC_KEY and SONDE_SECRET_KEY.">
          <div className="flex flex-col gap-4">
            <CodeBlock title="Metrics query" code={JSON.stringify(asked, null, 2)} wrap />
            <CodeBlock title="curl" code={metricsCurl(location.origin + basePath, asked)} wrap />
          </div>
        </Dialog>
      )}
      {open === "alert" && <Suspense fallback={null}><NewAlertDialog tile={tile} query={query} conditions={scope.conditions} dashboardId={dashboardId} onClose={close} /></Suspense>}
    </>
  );
}
