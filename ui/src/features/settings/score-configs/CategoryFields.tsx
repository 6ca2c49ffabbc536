import { Plus, Trash2 } from "lucide-react";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { TextField } from "@/shared/ui/TextField";
import { type CategoryDraft, type ConfigDraft, withCategory } from "./draft";

interface CategoryFieldsProps {
  draft: ConfigDraft;
  problems: ReadonlyMap<string | number, string>;
  onChange: (categories: CategoryDraft[]) => void;
}

/** The categories of a config: what they are called, and the number by which they are ordered. */
export function CategoryFields({ draft, problems, onChange }: CategoryFieldsProps) {
  const { categories } = draft;
  const set = (key: number, change: Partial<CategoryDraft>) => onChange(categories.map((category) => (category.key === key ? { ...category, ...change } : category)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-xs font-medium text-text-2">Categories</legend>
      {problems.get("categories") !== undefined && <p role="alert" className="text-xs text-danger">{problems.get("categories")}</p>}
      {categories.map(({ key, label, value }, index) => (
        <div key={key} className="flex items-start gap-2">
          <TextField label={`Category ${index + 1}`} labelHidden className="min-w-0 flex-1" value={label} onChange={(next) => set(key, { label: next })} placeholder="Name" error={problems.get(key)} />
          <TextField label={`Number of category ${index + 1}`} labelHidden className="w-20" inputMode="decimal" value={value} onChange={(next) => set(key, { value: next })} />
          <IconButton icon={Trash2} label={`Remove category ${label || index + 1}`} onClick={() => onChange(categories.filter((category) => category.key !== key))} />
        </div>
      ))}
      <div><Button icon={Plus} onClick={() => onChange(withCategory(draft))}>Add category</Button></div>
      <p className="text-xs text-text-3">The number says in which order categories stand and counts in means and in the weighted agreement.</p>
    </fieldset>
  );
}
