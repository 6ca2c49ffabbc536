import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { describeError } from "@/shared/api/describeError";
import { useProject } from "@/shared/api/project";
import { useToast } from "@/shared/ui/Toast";
import { allOf, checkItem, type Dataset, type Field, type Item, type ItemTexts, saveItem } from "./api";
import { changedFields, localProblems, placedProblems } from "./texts";
import { useSettled } from "./useSettled";

/** Texts of an item while somebody writes them: what changed, what does not fit the schemas, and how to save it. What they were before is
 * the same object as long as it is the same. */
export function useItemDraft(dataset: Dataset, before: ItemTexts, id: string | undefined, onSaved: (item: Item) => void) {
  const project = useProject();
  const client = useQueryClient();
  const toast = useToast();
  const [draft, setDraft] = useState<Partial<ItemTexts>>({});
  const texts = useMemo(() => ({ ...before, ...draft }), [before, draft]);
  const changed = changedFields(before, texts);
  const local = localProblems(before, texts);
  const readable = Object.keys(local).length === 0;
  // What somebody has just mended is settled a moment later: until then nothing is asked, and what was found before still stands.
  const settled = useSettled(texts, 400);
  const askable = readable && Object.keys(localProblems(before, settled)).length === 0;
  const held = dataset.inputSchema !== null || dataset.expectedOutputSchema !== null;
  const { data: failures } = useQuery({
    queryKey: ["dataset-check", project.id, dataset.id, dataset.updatedAt, id, settled.input, settled.expectedOutput],
    queryFn: ({ signal }) => checkItem(project, dataset.id, id, settled, signal),
    enabled: held && askable && changed.length > 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  const problems = { ...placedProblems(held && readable && changed.length > 0 ? (failures ?? []) : [], texts), ...local };
  const save = useMutation({
    mutationFn: async () => {
      const found = await checkItem(project, dataset.id, id, texts, new AbortController().signal);
      if (found.length > 0) throw new Error(`It does not fit: ${found[0]!.field} ${found[0]!.path ?? ""} ${found[0]!.message}`);
      return saveItem(project, dataset.name, { ...Object.fromEntries(changed.map((field) => [field, texts[field]])), id });
    },
    onSuccess: (item) => {
      void client.invalidateQueries({ queryKey: allOf(project) });
      setDraft({});
      toast({ title: id === undefined ? "The item is there" : "Saved as a new version" });
      onSaved(item);
    },
    onError: (error) => toast({ kind: "error", title: describeError(error).title, detail: describeError(error).message }),
  });
  const isValid = Object.keys(problems).length === 0;
  return {
    texts, changed, problems, isValid,
    set: (field: Field, text: string) => setDraft((now) => ({ ...now, [field]: text })),
    reset: () => setDraft({}),
    save: () => changed.length > 0 && isValid && !save.isPending && save.mutate(),
    saving: save.isPending,
  };
}
