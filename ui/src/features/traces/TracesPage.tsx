import { ViewGate } from "./ViewGate";

export function TracesPage() {
  return <ViewGate table="traces" title="Traces" />;
}
