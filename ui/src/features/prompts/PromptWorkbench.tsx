import { useBlocker, useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Badge } from "@/shared/ui/Badge";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Tabs } from "@/shared/ui/Tabs";
import { useToast } from "@/shared/ui/Toast";
import type { Prompt, PromptVersion } from "./api";
import { type Draft, draftOf, isChanged, problemOf } from "./draft";
import { LabelBadges } from "./LabelBadges";
import { PromptActions } from "./PromptActions";
import { PromptEditor } from "./PromptEditor";
import { ReferencesPanel } from "./ReferencesPanel";
import { ReviewDialog } from "./ReviewDialog";
import { TagBadges } from "./TagBadges";
import { UsagePanel } from "./UsagePanel";
import { UsePanel } from "./UsePanel";
import { VersionDiff } from "./VersionDiff";
import { VersionRail } from "./VersionRail";

const tabs = [{ value: "prompt", label: "Prompt" }, { value: "usage", label: "Usage" }, { value: "use", label: "Use" }, { value: "references", label: "References" }] as const;
type TabName = (typeof tabs)[number]["value"];

/** One version of a prompt: to read, compare, change and follow. Saving never changes it: it makes the next one. */
export function PromptWorkbench({ prompt, versions, total }: { prompt: Prompt; versions: readonly PromptVersion[]; total: number }) {
  const project = useProject();
  const toast = useToast();
  const navigate = useNavigate();
  const [tab, setTab] = useUrlState("tab", "prompt");
  const [diff] = useUrlState("diff");
  const [draft, setDraft] = useState<Draft>(() => draftOf(prompt));
  const [reviewing, setReviewing] = useState(false);
  const leaving = useRef(false); // what is saved need not be kept from leaving
  const mayWrite = allows(project.role, "MEMBER");
  const changed = mayWrite && isChanged(draftOf(prompt), draft);
  const compared = /^[1-9]\d*$/.test(diff) && Number(diff) !== prompt.version ? Number(diff) : undefined;
  const blocker = useBlocker({ shouldBlockFn: ({ current, next }) => changed && !leaving.current && (current.pathname !== next.pathname || searchOf(current) !== searchOf(next)), enableBeforeUnload: () => changed && !leaving.current, withResolver: true });
  const save = () => {
    const problem = problemOf(draft);
    if (problem !== undefined) toast({ kind: "error", title: "This cannot be saved yet", detail: problem });
    else if (changed) setReviewing(true);
    else toast({ kind: "info", title: "Nothing changed", detail: `This is version ${prompt.version} as it was saved.` });
  };
  useShortcuts("Prompt", mayWrite ? [{ keys: "mod+s", label: "Save a new version", run: save }] : []);
  const saved = (version: number) => {
    leaving.current = true;
    setReviewing(false);
    toast({ title: `Version ${version} is saved` });
    void navigate({ to: ".", search: ((before: object) => ({ ...before, version: String(version), diff: undefined })) as never });
  };
  const shown = tabs.some(({ value }) => value === tab) ? (tab as TabName) : "prompt";
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader title={prompt.name} documentTitle={`${prompt.name} · Prompts · ${project.name}`} actions={<PromptActions prompt={prompt} versions={versions} changed={changed} onSave={save} />}>
        <span className="flex flex-wrap items-center gap-1.5 text-xs text-text-2">
          Version {prompt.version} <Badge>{prompt.type}</Badge><LabelBadges labels={prompt.labels} /><TagBadges tags={prompt.tags} />
          {changed && <Badge tone="warn">Not saved</Badge>}
        </span>
      </PageHeader>
      <div className="flex min-w-0 flex-1 flex-col md:flex-row">
        <VersionRail projectId={project.id} name={prompt.name} versions={versions} total={total} current={prompt.version} compared={compared} />
        <div className="min-w-0 flex-1">
          {compared !== undefined ? <div className="p-4"><VersionDiff prompt={prompt} with={compared} /></div> : (
            <Tabs label="Of this version" value={shown} onChange={setTab} tabs={tabs} panelClassName="p-4">
              {shown === "prompt" && <PromptEditor draft={draft} onChange={setDraft} readOnly={!mayWrite} />}
              {shown === "usage" && <UsagePanel name={prompt.name} />}
              {shown === "use" && <UsePanel prompt={prompt} />}
              {shown === "references" && <ReferencesPanel prompt={prompt} />}
            </Tabs>
          )}
        </div>
      </div>
      {reviewing && <ReviewDialog base={prompt} draft={draft} onClose={() => setReviewing(false)} onSaved={saved} />}
      {blocker.status === "blocked" && (
        <Dialog open onOpenChange={() => blocker.reset()} title="Leave without saving?" description="What you changed in this prompt is not kept." footer={<><Button onClick={() => blocker.reset()}>Stay</Button><Button variant="danger" onClick={() => blocker.proceed()}>Leave</Button></>} />
      )}
    </div>
  );
}

/** The part of an address whose change takes the editor away. Tabs do not: they keep the draft. */
function searchOf({ search }: { search: unknown }): string {
  const { version, diff } = search as { version?: string; diff?: string };
  return `${version} ${diff}`;
}
