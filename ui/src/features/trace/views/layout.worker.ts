import type { GraphEdge } from "@/shared/trace/graph";
import { type Laid, layOut } from "@/shared/trace/layOut";

export interface LayoutQuestion {
  count: number;
  edges: GraphEdge[];
}

/** Lays a graph out beside the page, which stays quick meanwhile. */
self.onmessage = ({ data }: MessageEvent<LayoutQuestion>) => {
  const laid: Laid = layOut(data.count, data.edges);
  self.postMessage(laid);
};
