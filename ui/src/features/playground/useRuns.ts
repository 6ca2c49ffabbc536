import { useCallback, useEffect, useRef, useState } from "react";
import { useProject } from "@/shared/api/project";
import { runVariant } from "./api";
import { requestOf, type Run, type Variant } from "./variant";

/** Runs variants beside each other; each can be stopped. Leaving the page stops all. */
export function useRuns() {
  const project = useProject();
  const [runs, setRuns] = useState<Readonly<Record<number, Run>>>({});
  const running = useRef(new Map<number, AbortController>());
  useEffect(() => {
    const all = running.current;
    return () => all.forEach((each) => each.abort());
  }, []);
  const stop = useCallback((id: number) => running.current.get(id)?.abort(), []);
  const run = useCallback(
    async (variant: Variant, values: Readonly<Record<string, string>>) => {
      running.current.get(variant.id)?.abort();
      const control = new AbortController();
      running.current.set(variant.id, control);
      const change = (next: (run: Run) => Run) => {
        if (running.current.get(variant.id) === control) setRuns((before) => ({ ...before, [variant.id]: next(before[variant.id] ?? begun) }));
      };
      change(() => ({ ...begun, bySchema: variant.schema.trim() !== "" }));
      const heard = {
        text: (piece: string) => change((before) => ({ ...before, text: before.text + piece })),
        tool: (name: string) => change((before) => ({ ...before, tools: [...before.tools, name] })),
      };
      try {
        const result = await runVariant(project, requestOf(variant, values), heard, control.signal);
        change((before) => ({ ...before, state: "done", text: result.text, result }));
      } catch (error) {
        change((before) => (control.signal.aborted ? { ...before, state: "stopped" } : { ...before, state: "failed", error }));
      }
    },
    [project],
  );
  return { runs, run, stop };
}

const begun: Run = { state: "running", text: "", bySchema: false, tools: [] };
