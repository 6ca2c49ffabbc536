import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { FileQuestion } from "lucide-react";
import { useTitle } from "@/shared/lib/useTitle";
import { buttonClass } from "@/shared/ui/Button";
import { EmptyState } from "@/shared/ui/EmptyState";
import { ErrorState } from "@/shared/ui/ErrorState";
import { SkeletonRows } from "@/shared/ui/Skeleton";

export function NotFoundPage() {
  useTitle("Not found");
  return (
    <main>
      <h1 className="sr-only">Not found</h1>
      <EmptyState icon={FileQuestion} title="There is no such page" actions={<Link to="/" className={buttonClass("primary")}>To the start</Link>}>
        The address may be mistyped, or belong to a project that you cannot see.
      </EmptyState>
    </main>
  );
}

export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorState error={error} onRetry={retry} />;
}

/** Stands in for a page whose code is on its way. */
export function PagePending() {
  return <SkeletonRows label="Loading the page" />;
}
