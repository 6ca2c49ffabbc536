import { ApiError } from "@/shared/api/errors";
import { ErrorState } from "@/shared/ui/ErrorState";

/** What the server says about the one thing that was typed, to stand at its field; undefined for all other errors. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 409)) return undefined;
  return error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
}

/** The errors that belong to no field. */
export function FormError({ error }: { error: unknown }) {
  if (error === null || refusalOf(error) !== undefined) return null;
  return <ErrorState error={error} compact className="p-0!" />;
}
