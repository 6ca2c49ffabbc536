import { Copy, Pencil, Trash2 } from "lucide-react";
import { exactMoney } from "@/shared/lib/exactMoney";
import { none } from "@/shared/lib/format";
import { Badge } from "@/shared/ui/Badge";
import { IconButton } from "@/shared/ui/IconButton";
import { type DetailColumn, DetailTable } from "@/shared/ui/DetailTable";
import { type Model, scaleOf } from "./definition";
import { ModelDetails } from "./ModelDetails";

export interface ModelActions {
  edit: (model: Model) => void;
  copy: (model: Model) => void;
  remove: (model: Model) => void;
}

const price = (pick: (model: Model) => number | null) => (model: Model) => exactMoney(pick(model), scaleOf(model.unit).power);

const facts: DetailColumn<Model>[] = [
  {
    id: "model", header: "Model", lead: true,
    cell: (model) => <span className="flex items-center gap-2"><span className="min-w-0 font-medium break-all">{model.modelName}</span>{!model.isLangfuseManaged && <Badge tone="accent">Own</Badge>}</span>,
  },
  { id: "pattern", header: "Matches", className: "w-1/4 max-w-0", cell: (model) => <span className="block truncate font-mono text-2xs text-text-2" title={model.matchPattern}>{model.matchPattern}</span> },
  { id: "input", header: "Input", align: "end", cell: price(({ inputPrice }) => inputPrice) },
  { id: "output", header: "Output", align: "end", cell: price(({ outputPrice }) => outputPrice) },
  { id: "total", header: "Total", align: "end", cell: price(({ totalPrice }) => totalPrice) },
  { id: "unit", header: "Per", cell: (model) => <span className="whitespace-nowrap text-text-2">{scaleOf(model.unit).per}</span> },
  { id: "tiers", header: "Tiers", align: "end", cell: ({ pricingTiers }) => pricingTiers.length },
  { id: "start", header: "From", cell: ({ startDate }) => <span className="whitespace-nowrap text-text-2">{startDate?.slice(0, 10) ?? none}</span> },
];

const buttons = (actions: ModelActions): DetailColumn<Model> => ({
  id: "actions", header: "Actions", headerHidden: true, align: "end",
  cell: (model) => <RowActions model={model} {...actions} />,
});

const nameOf = ({ modelName, startDate }: Model) => (startDate === null ? modelName : `${modelName} from ${startDate.slice(0, 10)}`);
const detailsOf = (model: Model) => <ModelDetails model={model} />;

/** Definitions with their prices; a row opens to all that it says. Without actions the reader may look only. */
export function ModelTable({ models, actions }: { models: readonly Model[]; actions?: ModelActions }) {
  const used = models.some(({ totalPrice }) => totalPrice !== null) ? facts : facts.filter(({ id }) => id !== "total");
  const columns = actions === undefined ? used : [...used, buttons(actions)];
  return <DetailTable label="Models" rows={models} columns={columns} keyOf={({ id }) => id} nameOf={nameOf} details={detailsOf} />;
}

function RowActions({ model, edit, copy, remove }: { model: Model } & ModelActions) {
  const name = model.modelName;
  if (model.isLangfuseManaged) return <IconButton icon={Copy} label={`Set an own price for ${name}`} onClick={() => copy(model)} />;
  return (
    <span className="inline-flex">
      <IconButton icon={Pencil} label={`Edit ${name}`} onClick={() => edit(model)} />
      <IconButton icon={Trash2} label={`Delete ${name}`} onClick={() => remove(model)} />
    </span>
  );
}
