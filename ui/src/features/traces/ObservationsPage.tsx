import { ViewGate } from "./ViewGate";

export function ObservationsPage() {
  return <ViewGate table="observations" title="Observations" />;
}
