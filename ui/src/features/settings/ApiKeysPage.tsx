import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { allows, useProject } from "@/shared/api/project";
import { Button } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SkeletonRows } from "@/shared/ui/Skeleton";
import { keysQuery } from "./api";
import { KeyTable } from "./KeyTable";
import { NewKeyDialog } from "./NewKeyDialog";
import { RoleNote, Section } from "./Section";

/** The keys by which programs reach the project. Only admins see them: so the server has it. */
export function ApiKeysPage() {
  const project = useProject();
  const mayManage = allows(project.role, "ADMIN");
  const { data, error, refetch } = useQuery({ ...keysQuery(project), enabled: mayManage });
  const [creating, setCreating] = useState(false);
  const create = <Button variant="primary" icon={Plus} onClick={() => setCreating(true)}>Create key</Button>;
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <Section title="Keys of this project" description="Programs send data and read it with a public and a secret key. Give each program its own, so that one can be revoked without the others." actions={mayManage && create}>
        {!mayManage && <RoleNote>Keys are listed, made and revoked by those with the role ADMIN. You are {project.role} here. If a program of yours needs a key, ask an admin; you find them under Members.</RoleNote>}
        {mayManage && error !== null && data === undefined && <ErrorState error={error} onRetry={() => void refetch()} compact />}
        {mayManage && error === null && data === undefined && <SkeletonRows rows={3} label="Loading the keys" />}
        {data?.length === 0 && <EmptyState icon={KeyRound} title="No keys yet" actions={create} className="py-6!">Make one, and put it into the environment of your program.</EmptyState>}
        {data !== undefined && data.length > 0 && <KeyTable keys={data} />}
      </Section>
      {creating && <NewKeyDialog onClose={() => setCreating(false)} />}
    </div>
  );
}
