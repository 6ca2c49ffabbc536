import { Link2 } from "lucide-react";
import { copyText } from "@/shared/lib/copy";
import { IconButton } from "@/shared/ui/IconButton";
import { Menu, MenuItem } from "@/shared/ui/Menu";
import { useToast } from "@/shared/ui/Toast";

/** The dashboard as a link. Its times go on with the clock, or stay those that are shown now. */
export function LinkMenu({ from, to }: { from: string; to: string }) {
  const toast = useToast();
  const copy = (fixed: boolean) => {
    const url = new URL(location.href);
    url.searchParams.delete("edit");
    if (fixed) url.searchParams.set("range", `${from}..${to}`);
    void copyText(url.href).then(() => toast({ title: "Link copied", detail: "Members of the project can open it." }));
  };
  return (
    <Menu trigger={<IconButton icon={Link2} label="Share" />}>
      <MenuItem icon={Link2} onSelect={() => copy(false)}>Copy link</MenuItem>
      <MenuItem icon={Link2} onSelect={() => copy(true)}>Copy link with fixed times</MenuItem>
    </Menu>
  );
}
