import { EmptyState } from "@/shared/ui/EmptyState";

export function ModelsPage() {
  return <EmptyState title="This page is not there yet" />;
}
