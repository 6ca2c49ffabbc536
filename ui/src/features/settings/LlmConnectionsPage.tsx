import { useQuery } from "@tanstack/react-query";
import { Plug, Plus } from "lucide-react";
import { useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { connectionsQuery } from "./connections/api";
import { ConnectionDialog } from "./connections/ConnectionDialog";
import { ConnectionTable } from "./connections/ConnectionTable";
import { type ConnectionForm, emptyForm } from "./connections/form";
import { RoleNote, Section } from "./Section";

/** How models are reached, for the playground and for evaluators. */
export function LlmConnectionsPage() {
  const project = useProject();
  const { data, error, refetch } = useQuery(connectionsQuery(project));
  const [editing, setEditing] = useState<ConnectionForm | null>(null);
  const mayChange = allows(project.role, "ADMIN");
  const create = mayChange && <Button variant="primary" icon={Plus} onClick={() => setEditing(emptyForm)}>Connect a provider</Button>;
  return (
    <div className="flex max-w-5xl flex-col gap-4">
      <Section title="Providers of models" description="The playground and evaluators ask models through these, with your keys and at your cost." actions={data !== undefined && data.length > 0 && create}>
        {!mayChange && <RoleNote>Connections are made and deleted by those with the role ADMIN. You are {project.role} here.</RoleNote>}
        {error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} compact />}
        {error === null && data === undefined && <SkeletonRows rows={2} label="Loading the connections" />}
        {data?.length === 0 && <EmptyState icon={Plug} title="No provider is connected" actions={create} className="py-6!">Connect OpenAI, Anthropic, Google, Azure, or any server that speaks the API of OpenAI, such as vLLM, Ollama or a gateway.</EmptyState>}
        {data !== undefined && data.length > 0 && <ConnectionTable connections={data} onReplace={mayChange ? setEditing : undefined} />}
      </Section>
      {editing !== null && <ConnectionDialog start={editing} onClose={() => setEditing(null)} />}
    </div>
  );
}
