import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { type ReactNode, useId } from "react";
import { basePath } from "@/shared/api/client";
import { useProject } from "@/shared/api/project";
import { useNow } from "@/shared/lib/useNow";
import { useUrlState } from "@/shared/lib/useUrlState";
import { Banner } from "@/shared/ui/Banner";
import { buttonClass } from "@/shared/ui/Button";
import { CodeBlock } from "@/shared/ui/CodeBlock";
import { ErrorState } from "@/shared/ui/ErrorState";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Skeleton } from "@/shared/ui/Skeleton";
import { Tabs } from "@/shared/ui/Tabs";
import { Checklist } from "./Checklist";
import { FailureList } from "./FailureList";
import { failuresOf } from "./failures";
import { type FreshKey, useFreshKey } from "./freshKey";
import { KeyPanel } from "./KeyPanel";
import { SampleButton } from "./SampleButton";
import { isLanguage, languages, snippetsFor } from "./snippets";
import { useProgress } from "./useProgress";

const baseUrl = location.origin + basePath;

/** From nothing to a first trace: a key, a program that sends, and what the server says to it. */
export function FirstTracePage() {
  const { id } = useProject();
  return <Setup key={id} />;
}

function Setup() {
  const project = useProject();
  const fresh = useFreshKey(project.id);
  const state = useProgress(project, fresh);
  return (
    <div className="flex min-h-full flex-col">
      <PageHeader title="Send a first trace" />
      <div className="grid w-full max-w-6xl flex-1 content-start gap-8 p-4 md:grid-cols-[minmax(0,1fr)_320px]">
        <div className="flex min-w-0 flex-col gap-8">
          <Part title="1. Take a key"><KeyPanel fresh={fresh} known={state.progress.key !== null} /></Part>
          <Part title="2. Run a program that sends"><Snippets fresh={fresh} /></Part>
        </div>
        <aside aria-label="What arrived" className="md:sticky md:top-4 md:self-start"><Part title="3. See it arrive"><Arrival state={state} fresh={fresh} /></Part></aside>
      </div>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-3">
      <h2 id={id} className="text-base font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function Snippets({ fresh }: { fresh: FreshKey | undefined }) {
  const [text, setLanguage] = useUrlState("lang", "python");
  const language = isLanguage(text) ? text : "python";
  const snippets = snippetsFor(language, baseUrl, fresh);
  return (
    <Tabs label="Language" value={language} onChange={setLanguage} tabs={languages} panelClassName="flex flex-col gap-3 pt-3">
      {snippets.map(({ title, code }) => <CodeBlock key={title} title={title} code={code} />)}
    </Tabs>
  );
}

/** What the server has seen of it so far. */
function Arrival({ state, fresh }: { state: ReturnType<typeof useProgress>; fresh: FreshKey | undefined }) {
  const { id } = useProject();
  const now = useNow();
  const { progress, live, pending, error, retry, elsewhere } = state;
  if (error !== null) return <ErrorState error={error} onRetry={retry} compact />;
  if (pending) return <div role="status" aria-label="Loading" className="flex flex-col gap-4"><Skeleton /><Skeleton /><Skeleton /><Skeleton /></div>;
  const failures = failuresOf(state.requests, state.unknownKeys, now, baseUrl);
  return (
    <div className="flex flex-col gap-4">
      <div className="rounded-lg border border-line bg-raised px-3"><Checklist progress={progress} /></div>
      <FailureList failures={failures} />
      {elsewhere.map(({ project, publicKey }) => (
        <Banner key={publicKey} tone="warn">Spans arrived in the project {project}, with its key <code className="font-mono text-xs break-all">{publicKey}</code>. If your program sent them, it uses the key of the wrong project.</Banner>
      ))}
      {progress.trace !== null && (
        <Link to="/project/$projectId/traces/$traceId" params={{ projectId: id, traceId: progress.trace.traceId }} className={buttonClass("primary", "w-full")}>
          Open your first trace
          <ArrowRight size={14} aria-hidden />
        </Link>
      )}
      <SampleButton fresh={fresh} />
      <p className="text-xs text-text-3">
        {live ? "This page is told at once when something arrives." : "This page asks every 3 seconds whether something arrived."}
        {progress.seen === null && failures.length === 0 && ` Nothing at all? See whether the program can reach ${baseUrl}, and whether it ends before it has sent.`}
      </p>
    </div>
  );
}
