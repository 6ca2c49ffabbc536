import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { one, type Search } from "./search";

interface UrlStateOptions {
  /** Steps that "back" should undo. Typing and dragging are none. */
  push?: boolean;
}

/** One key of the address as state. A value that is the default is left out of the address. */
export function useUrlState(key: string, fallback = "", { push = false }: UrlStateOptions = {}): [string, (value: string) => void] {
  const value = useSearch({ strict: false, select: (search) => one(search as Search, key) ?? fallback });
  const navigate = useNavigate();
  const set = useCallback(
    (next: string) => {
      const search = (before: Search) => ({ ...before, [key]: next === fallback ? undefined : next });
      void navigate({ to: ".", search: search as never, replace: !push, resetScroll: false });
    },
    [key, fallback, push, navigate],
  );
  return [value, set];
}

/** A key that may occur several times, as a list. */
export function useUrlList(key: string, { push = false }: UrlStateOptions = {}): [string[], (values: string[]) => void] {
  const values = useSearch({ strict: false, structuralSharing: true, select: (search) => listOf((search as Search)[key]) });
  const navigate = useNavigate();
  const set = useCallback(
    (next: string[]) => {
      const search = (before: Search) => ({ ...before, [key]: next.length === 0 ? undefined : next });
      void navigate({ to: ".", search: search as never, replace: !push, resetScroll: false });
    },
    [key, push, navigate],
  );
  return [values, set];
}

function listOf(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
