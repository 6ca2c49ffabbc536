import { Link } from "@tanstack/react-router";
import { basePath } from "@/shared/api/client";
import { useProject } from "@/shared/api/project";
import { useUrlState } from "@/shared/lib/useUrlState";
import { contentOf, variablesOf } from "@/shared/prompt/content";
import { CodeBlock } from "@/shared/ui/CodeBlock";
import { SegmentedControl } from "@/shared/ui/SegmentedControl";
import type { Prompt } from "./api";
import { latest, production } from "./LabelBadges";
import { snippetLanguages, snippetOf } from "./snippets";

/** How an application fetches this version. */
export function UsePanel({ prompt }: { prompt: Prompt }) {
  const project = useProject();
  const [lang, setLang] = useUrlState("lang", "python");
  const language = snippetLanguages.find(({ value }) => value === lang) ?? snippetLanguages[0];
  const label = prompt.labels.includes(production) ? production : prompt.labels.find((each) => each !== latest);
  const code = snippetOf(language.value, { name: prompt.name, type: prompt.type, label, version: prompt.version, variables: variablesOf(contentOf(prompt.prompt)), baseUrl: location.origin + basePath });
  return (
    <div className="flex max-w-3xl flex-col gap-3">
      <p className="text-sm text-text-2">
        {label === undefined ? `This version has no label to be fetched by, so the code names its number. Put a label on it, and versions change without a change of code.` : `The code names the label ${label}: whichever version has it is fetched.`}
        {" "}It needs keys of this project, from <Link to="/project/$projectId/settings/{-$page}" params={{ projectId: project.id, page: "api-keys" }} className="text-accent underline">its settings</Link>.
      </p>
      <SegmentedControl label="Language" value={language.value} onChange={setLang} segments={snippetLanguages} className="self-start" />
      <CodeBlock title={language.label} code={code} />
    </div>
  );
}
