import { Copy, Download, Ellipsis, Trash2 } from "lucide-react";
import { useState } from "react";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { IconButton } from "@/shared/ui/IconButton";
import { LazyMenu } from "@/shared/ui/LazyMenu";
import { Menu, MenuCheckItem, MenuChoices, MenuItem, MenuLine } from "@/shared/ui/Menu";
import { Popover } from "@/shared/ui/Popover";
import { Sheet } from "@/shared/ui/Sheet";
import { TextField } from "@/shared/ui/TextField";
import { useToast } from "@/shared/ui/Toast";
import { Tooltip } from "@/shared/ui/Tooltip";
import { Section, Specimen } from "./Section";

type Open = "dialog" | "alert" | "sheet" | "bottom" | null;
const sorts = [{ value: "newest", label: "Newest first" }, { value: "slowest", label: "Slowest first" }] as const;

export function LayerSection() {
  const [open, setOpen] = useState<Open>(null);
  const [name, setName] = useState("");
  const toast = useToast();
  const close = () => setOpen(null);
  return (
    <Section title="Layers">
      <Specimen title="Tooltip, Popover, Menu, LazyMenu"><Tooltip content="Says more" keys="t"><Button>Tooltip</Button></Tooltip><Popover trigger={<Button>Popover</Button>} label="About"><p className="w-56">A layer that belongs to its button.</p></Popover><Actions /><LateActions /></Specimen>
      <Specimen title="Dialog, AlertDialog, Sheet">
        <Button onClick={() => setOpen("dialog")}>Dialog</Button>
        <Button variant="danger" onClick={() => setOpen("alert")}>AlertDialog</Button>
        <Button onClick={() => setOpen("sheet")}>Sheet</Button>
        <Button onClick={() => setOpen("bottom")}>Sheet from below</Button>
      </Specimen>
      <Specimen title="Toast">
        <Button onClick={() => toast({ title: "View saved", detail: "Errors of today", action: { label: "Undo", run: () => undefined } })}>Done</Button>
        <Button onClick={() => toast({ kind: "info", title: "12 new traces" })}>News</Button>
        <Button onClick={() => toast({ kind: "error", title: "Not saved", detail: "The server is busy." })}>Error</Button>
      </Specimen>
      <Dialog open={open === "dialog"} onOpenChange={close} title="New saved view" description="A view keeps filters, columns and order." footer={<><Button onClick={close}>Cancel</Button><Button variant="primary" onClick={close}>Save</Button></>}>
        <TextField label="Name" value={name} onChange={setName} />
      </Dialog>
      <AlertDialog open={open === "alert"} onOpenChange={close} title="Delete project shop?" description="Its 1,204,332 observations, 12 datasets and 3 keys go with it. This cannot be undone." action="Delete project" confirmText="shop" onConfirm={close} />
      <Sheet open={open === "sheet" || open === "bottom"} onOpenChange={close} side={open === "bottom" ? "bottom" : "right"} title="Details"><p className="p-4">The content of a sheet.</p></Sheet>
    </Section>
  );
}

function Actions() {
  const [sort, setSort] = useState<(typeof sorts)[number]["value"]>("newest");
  const [cost, setCost] = useState(true);
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label="Actions" variant="secondary" />}>
      <MenuItem icon={Copy} keys="y">Copy id</MenuItem>
      <MenuItem icon={Download} disabled>Export</MenuItem>
      <MenuLine />
      <MenuCheckItem checked={cost} onChange={setCost}>Cost</MenuCheckItem>
      <MenuChoices label="Order" value={sort} onChange={setSort} options={sorts} />
      <MenuLine />
      <MenuItem icon={Trash2} danger>Delete</MenuItem>
    </Menu>
  );
}

const lateButton = <Button>Menu that loads late</Button>;

function LateActions() {
  return <LazyMenu trigger={lateButton} load={() => Promise.resolve()}><Menu defaultOpen trigger={lateButton}><MenuItem icon={Copy}>Copy id</MenuItem></Menu></LazyMenu>;
}
