import { Plus, Trash2 } from "lucide-react";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { Select } from "@/shared/ui/Select";
import { aggregationsOf, measuresOf, type Metric, type View } from "./catalog";

export interface MetricFieldsProps {
  view: View;
  histogram: boolean;
  metrics: readonly Metric[];
  most: number;
  onChange: (metrics: Metric[]) => void;
}

const names: Record<string, string> = { count: "Number of", sum: "Sum", avg: "Mean", min: "Lowest", max: "Highest", uniq: "Different ones", histogram: "Spread", p50: "Median" };

/** What is measured, and how the values of many rows become one. */
export function MetricFields({ view, histogram, metrics, most, onChange }: MetricFieldsProps) {
  const measures = Object.entries(measuresOf(view)).filter(([key, [, unit]]) => !histogram || (key !== "count" && unit !== "text")).map(([value, [label]]) => ({ value, label }));
  const set = (at: number, metric: Metric) => onChange(metrics.map((one, index) => (index === at ? metric : one)));
  return (
    <fieldset className="flex flex-col gap-2 md:col-span-2">
      <legend className="sr-only">Metrics</legend>
      {metrics.map((metric, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the same metric may stand there twice while it is chosen
        <div key={index} className="flex items-end gap-2">
          <Select label="Measure" labelHidden={index > 0} className="flex-1" value={metric.measure} options={measures} onChange={(measure) => set(index, { measure, aggregation: aggregationsOf(view, measure, histogram)[0]! })} />
          <Select label="As" labelHidden={index > 0} className="w-40" value={metric.aggregation} options={aggregationsOf(view, metric.measure, histogram).map((value) => ({ value: value as string, label: names[value] ?? value }))} onChange={(aggregation) => set(index, { ...metric, aggregation })} />
          {metrics.length > 1 && <IconButton icon={Trash2} label={`Remove metric ${index + 1}`} onClick={() => onChange(metrics.filter((_, at) => at !== index))} />}
        </div>
      ))}
      {metrics.length < most && <Button icon={Plus} className="self-start" onClick={() => onChange([...metrics, { measure: measures[0]!.value, aggregation: aggregationsOf(view, measures[0]!.value, histogram)[0]! }])}>Add a metric</Button>}
    </fieldset>
  );
}
