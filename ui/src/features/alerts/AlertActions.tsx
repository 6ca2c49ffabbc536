import { useMutation, useQueryClient } from "@tanstack/react-query";
import { BellOff, BellRing, EllipsisVertical, Pencil, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { AlertForm, draftOf, settingsOf } from "@/shared/alerts/AlertForm";
import { type Alert, deleteAlert, muteAlert, replaceAlert, testAlert } from "@/shared/alerts/api";
import { allows, useProject } from "@/shared/api/project";
import { AlertDialog } from "@/shared/ui/AlertDialog";
import { ErrorState } from "@/shared/ui/ErrorState";
import { IconButton } from "@/shared/ui/IconButton";
import { Menu, MenuItem, MenuLine } from "@/shared/ui/Menu";
import { useToast } from "@/shared/ui/Toast";
import { metricText, stateWords } from "./words";

const hour = 3_600_000;

/** What can be done with an alert. */
export function AlertActions({ alert }: { alert: Alert }) {
  const project = useProject();
  const queries = useQueryClient();
  const toast = useToast();
  const [open, setOpen] = useState<"edit" | "delete" | null>(null);
  const [draft, setDraft] = useState(() => draftOf(alert));
  const changed = () => queries.invalidateQueries({ queryKey: ["alerts", project.id] });
  const failed = (error: Error) => toast({ kind: "error", title: "That did not work", detail: error.message });
  const mute = useMutation({ mutationFn: (until: string | null) => muteAlert(project, alert.id, until), onSuccess: changed, onError: failed });
  const remove = useMutation({ mutationFn: () => deleteAlert(project, alert.id), onSuccess: changed });
  const save = useMutation({ mutationFn: () => replaceAlert(project, alert.id, { ...settingsOf(draft), dashboardId: alert.dashboardId, tileId: alert.tileId }), onSuccess: async () => { await changed(); setOpen(null); } });
  const toggle = useMutation({ mutationFn: () => replaceAlert(project, alert.id, { ...settingsOf({ ...draftOf(alert), enabled: !alert.enabled }), dashboardId: alert.dashboardId, tileId: alert.tileId }), onSuccess: changed, onError: failed });
  const test = useMutation({
    mutationFn: () => testAlert(project, alert.id), onError: failed,
    onSuccess: ({ state, value, reason, deliveries }) => {
      const lost = deliveries.filter(({ delivered }) => !delivered);
      toast({ kind: lost.length > 0 ? "error" : "ok", title: `${stateWords[state]}${value === null ? "" : `, value ${value}`}`, detail: [reason, lost.length > 0 ? lost.map(({ error }) => error).join("; ") : deliveries.length > 0 ? `Test messages arrived: ${deliveries.length}` : "It has no targets"].filter(Boolean).join(". ") });
    },
  });
  if (!allows(project.role, "MEMBER")) return null;
  const until = (ms: number) => new Date(Date.now() + ms).toISOString();
  const edit = () => { setDraft(draftOf(alert)); setOpen("edit"); };
  return (
    <span className="flex justify-end">
      <Menu trigger={<IconButton icon={EllipsisVertical} label={`Actions of ${alert.name}`} />}>
        <MenuItem icon={Send} onSelect={() => test.mutate()}>Evaluate and send a test</MenuItem>
        <MenuItem icon={Pencil} onSelect={edit}>Change</MenuItem>
        <MenuItem icon={alert.enabled ? BellOff : BellRing} onSelect={() => toggle.mutate()}>{alert.enabled ? "Turn off" : "Turn on"}</MenuItem>
        <MenuLine />
        <MenuItem icon={BellOff} onSelect={() => mute.mutate(until(hour))}>Mute for an hour</MenuItem>
        <MenuItem icon={BellOff} onSelect={() => mute.mutate(until(24 * hour))}>Mute for a day</MenuItem>
        <MenuItem icon={BellRing} disabled={alert.mutedUntil === null} onSelect={() => mute.mutate(null)}>Unmute</MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} danger onSelect={() => setOpen("delete")}>Delete</MenuItem>
      </Menu>
      {open === "edit" && <AlertForm title={`Change ${alert.name}`} action="Save" note="" metrics={[{ metric: draft.query.metrics[0]!, label: metricText(alert) }]} draft={draft} onChange={setDraft} onClose={() => setOpen(null)} onSubmit={() => save.mutate()} busy={save.isPending} error={save.error} />}
      {open === "delete" && (
        <AlertDialog
          open onOpenChange={() => setOpen(null)} title={`Delete ${alert.name}?`} confirmText={alert.name} action="Delete alert" busy={remove.isPending} onConfirm={() => remove.mutate()}
          description={<>Its history goes along, and messages that were not delivered yet are not sent.{remove.error !== null && <ErrorState compact error={remove.error} />}</>}
        />
      )}
    </span>
  );
}
