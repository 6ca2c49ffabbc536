import { useQuery } from "@tanstack/react-query";
import type { Graph } from "@/shared/trace/graph";
import type { Laid } from "@/shared/trace/layOut";
import type { LayoutQuestion } from "./layout.worker";

/** Places for a graph, found by a worker; undefined while it looks. */
export function useLayout({ nodes, edges }: Graph) {
  return useQuery({
    queryKey: ["layout", nodes.length, edges.map(({ from, to }) => `${from}-${to}`).join(" ")],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    queryFn: ({ signal }) => askWorker({ count: nodes.length, edges }, signal),
  });
}

function askWorker(question: LayoutQuestion, signal: AbortSignal): Promise<Laid> {
  const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
  return new Promise<Laid>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    worker.addEventListener("message", ({ data }: MessageEvent<Laid>) => resolve(data));
    worker.addEventListener("error", () => reject(new Error("The graph could not be laid out. Its table shows the same figures.")));
    worker.postMessage(question);
  }).finally(() => worker.terminate());
}
