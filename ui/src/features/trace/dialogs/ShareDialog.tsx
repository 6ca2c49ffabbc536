import { basePath } from "@/shared/api/client";
import { useProject } from "@/shared/api/project";
import { Button } from "@/shared/ui/Button";
import { CopyField } from "@/shared/ui/CopyField";
import { Dialog } from "@/shared/ui/Dialog";
import { Switch } from "@/shared/ui/Switch";

interface ShareDialogProps {
  traceId: string;
  isPublic: boolean;
  /** Undefined for people who may not change it. */
  onPublic: ((isPublic: boolean) => void) | undefined;
  onClose: () => void;
}

/** The address of what is on screen, for people of the project; and, if somebody wants it so, one for everybody. */
export function ShareDialog({ traceId, isPublic, onPublic, onClose }: ShareDialogProps) {
  const project = useProject();
  // The project is named because anybody can send a trace with the same id.
  const open = `${location.origin}${basePath}/public/traces/${encodeURIComponent(traceId)}?${new URLSearchParams({ projectId: project.id })}`;
  return (
    <Dialog open onOpenChange={onClose} title="Share this trace" footer={<Button onClick={onClose}>Done</Button>}>
      <div className="flex flex-col gap-4">
        <CopyField label="Link for people of this project" value={location.href} hint="It opens what you see: the view, the find and the chosen observation." />
        <Switch
          checked={isPublic} onChange={(on) => onPublic?.(on)} disabled={onPublic === undefined}
          hint={onPublic === undefined ? "Your role may not change this." : "Its observations with inputs, outputs and metadata. No scores, comments or media, and nothing else of the project."}
        >
          Everybody who has the link can see this trace
        </Switch>
        {isPublic && <CopyField label="Public link" value={open} hint="It works without an account, until this is switched off or the trace is deleted." />}
      </div>
    </Dialog>
  );
}
