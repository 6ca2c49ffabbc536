import type { ErrorComponentProps } from "@tanstack/react-router";

export function NotFoundPage() {
  return <p className="p-6">There is no such page.</p>;
}

export function PageError({ error }: ErrorComponentProps) {
  return <p className="p-6">{error instanceof Error ? error.message : String(error)}</p>;
}
