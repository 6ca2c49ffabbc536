import { ArrowDown, ArrowUp, Pin, PinOff, RotateCcw } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "@/shared/ui/Button";
import { Checkbox } from "@/shared/ui/Checkbox";
import { inputClass } from "@/shared/ui/Field";
import { IconButton } from "@/shared/ui/IconButton";
import { Popover } from "@/shared/ui/Popover";
import { moveColumn, type Shown, toggleColumn, togglePin } from "./columns";
import { minWidth } from "./layout";

export interface ColumnGroup {
  title: string;
  columns: readonly { id: string; header: string; width: number }[];
}

export interface ColumnMenuProps {
  trigger: ReactNode;
  groups: readonly ColumnGroup[];
  shown: readonly Shown[];
  onShown: (shown: Shown[]) => void;
  widths: Readonly<Record<string, number>>;
  onWidth: (id: string, width: number) => void;
  onReset: () => void;
}

/** Chooses which columns are shown, in which order, how wide, and which stay in sight. */
export function ColumnMenu({ trigger, groups, shown, onShown, widths, onWidth, onReset }: ColumnMenuProps) {
  const [wanted, setWanted] = useState("");
  const all = new Map(groups.flatMap(({ columns }) => columns.map((column) => [column.id, column] as const)));
  const matches = (text: string) => text.toLowerCase().includes(wanted.trim().toLowerCase());
  return (
    <Popover label="Columns" align="end" className="flex w-84 flex-col" trigger={trigger} defaultOpen>
      <div className="border-b border-line p-2">
        <input className={inputClass()} aria-label="Find a column" placeholder="Find a column" value={wanted} onChange={(event) => setWanted(event.target.value)} />
      </div>
      <div className="max-h-96 overflow-auto p-2">
        <h3 className="pb-1 text-2xs font-medium text-text-3">Shown</h3>
        <ul>
          {shown.flatMap(({ id, pinned }, index) => {
            const column = all.get(id) ?? { id, header: id, width: 120 };
            if (!matches(column.header)) return [];
            return (
              <li key={id} className="flex items-center">
                <Checkbox className="min-w-0 flex-1" checked onChange={() => onShown(toggleColumn(shown, id))} disabled={shown.length === 1}><span className="block truncate">{column.header}</span></Checkbox>
                <input
                  type="number" min={minWidth} max={1200} step={8} aria-label={`Width of ${column.header} in pixels`} title="Width in pixels"
                  className="h-6 w-14 shrink-0 rounded-sm border border-line-strong bg-raised pl-1 text-right text-xs pointer-coarse:h-11 pointer-coarse:w-18" value={widths[id] ?? column.width} onChange={(event) => onWidth(id, Number(event.target.value))}
                />
                <IconButton icon={pinned ? PinOff : Pin} label={pinned ? `Unpin ${column.header}` : `Pin ${column.header}`} className="size-6 pointer-coarse:size-11" onClick={() => onShown(togglePin(shown, id))} />
                <IconButton icon={ArrowUp} label={`Move ${column.header} to the left`} className="size-6 pointer-coarse:size-11" disabled={index === 0} onClick={() => onShown(moveColumn(shown, id, -1))} />
                <IconButton icon={ArrowDown} label={`Move ${column.header} to the right`} className="size-6 pointer-coarse:size-11" disabled={index === shown.length - 1} onClick={() => onShown(moveColumn(shown, id, 1))} />
              </li>
            );
          })}
        </ul>
        {groups.map(({ title, columns }) => {
          const hidden = columns.filter(({ id, header }) => matches(header) && !shown.some((one) => one.id === id));
          if (hidden.length === 0) return null;
          return (
            <section key={title}>
              <h3 className="pt-3 pb-1 text-2xs font-medium text-text-3">{title}</h3>
              <ul>
                {hidden.map(({ id, header }) => (
                  <li key={id}><Checkbox className="w-full" checked={false} onChange={() => onShown(toggleColumn(shown, id))}><span className="block truncate">{header}</span></Checkbox></li>
                ))}
              </ul>
            </section>
          );
        })}
      </div>
      <div className="flex justify-end border-t border-line p-2"><Button variant="ghost" icon={RotateCcw} onClick={onReset}>Reset columns</Button></div>
    </Popover>
  );
}
