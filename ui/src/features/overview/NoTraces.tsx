import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Rocket, SearchX } from "lucide-react";
import { useProject } from "@/shared/api/project";
import { describeRange, type Range, rangeWith } from "@/shared/lib/range";
import { Button, buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { AbsoluteTime } from "@/shared/ui/RelativeTime";

interface NoTracesProps {
  range: Range;
  now: number;
  env: string;
  onRange: (range: Range) => void;
  onAllEnvironments: () => void;
}

/** The range is empty: it leads to the newest data there is, or to the first trace of an empty project. */
export function NoTraces({ range, now, env, onRange, onAllEnvironments }: NoTracesProps) {
  const project = useProject();
  const { data: newest, isPending } = useQuery({
    queryKey: ["newest-observation", project.id, env, now],
    queryFn: async ({ signal }) => (await project.api.GET("/api/public/v2/observations", { params: { query: { limit: 1, fields: "core", ...(env === "" ? {} : { environment: [env] }) } }, signal })).data?.data[0] ?? null,
  });
  if (isPending) return null;
  if (newest) {
    const around = rangeWith(range, now, newest.startTime);
    return (
      <EmptyState icon={SearchX} title="Nothing started in this time" actions={<Button onClick={() => onRange(around)}>{describeRange(around)}</Button>}>
        The newest observation {env !== "" && <>of {env} </>}started at <AbsoluteTime value={newest.startTime} />.
      </EmptyState>
    );
  }
  if (env !== "") return <EmptyState icon={SearchX} title={`Nothing was recorded in ${env}`} actions={<Button onClick={onAllEnvironments}>All environments</Button>} />;
  return (
    <EmptyState icon={Rocket} title="This project has no traces yet" actions={<Link to="/project/$projectId/setup" params={{ projectId: project.id }} className={buttonClass("primary")}>Send the first trace</Link>}>
      Setup has the code for your language, with keys filled in, and shows what arrives.
    </EmptyState>
  );
}
