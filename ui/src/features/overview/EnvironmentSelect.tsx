import { useQuery } from "@tanstack/react-query";
import { useProject } from "@/shared/api/project";
import { Select } from "@/shared/ui/Select";

/** One environment, or all of them: "". */
export function EnvironmentSelect({ value, onChange, from, to }: { value: string; onChange: (env: string) => void; from: string; to: string }) {
  const project = useProject();
  const { data } = useQuery({
    queryKey: ["environments", project.id, from, to],
    staleTime: 60_000,
    queryFn: async ({ signal }) => (await project.api.GET("/api/public/facets", { params: { query: { fields: "environment", limit: "50", fromStartTime: from, toStartTime: to } }, signal })).data?.data.environment ?? [],
  });
  const names = (data ?? []).flatMap(({ value: name }) => name ?? []);
  const options = value === "" || names.includes(value) ? names : [value, ...names];
  return (
    <Select
      label="Environment" labelHidden className="w-44 max-sm:ml-auto max-sm:w-48" value={value} onChange={onChange}
      options={[{ value: "", label: "All environments" }, ...options.map((name) => ({ value: name, label: name }))]}
    />
  );
}
