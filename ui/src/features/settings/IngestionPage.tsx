import { EmptyState } from "@/shared/ui/EmptyState";

export function IngestionPage() {
  return <EmptyState title="This page is not there yet" />;
}
