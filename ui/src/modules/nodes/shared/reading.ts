import { useFrame, useSample } from "@/api/figures";
import { useAfter } from "@/components/text/use-now";
import type { Node } from "./types";

/** What was measured on a node last: by the stream where it has told, else as the node was read. */
export interface Reading {
  /** Milliseconds. */
  at: number;
  sessions: number | null;
  rx: number;
  tx: number;
  cpu: number;
  /** Percent; null where the agent does not tell how much there is. */
  memory: number | null;
  /** Older than two reports: no longer what is. */
  stale: boolean;
}

/** The newest reading of a node that moves with the stream; undefined where none is of this hour. */
export function useReading(node: Pick<Node, "id" | "metrics" | "agent">): Reading | undefined {
  const sample = useSample(node.id);
  const staleAfter = useFrame((state) => state.staleAfter);
  const read = readingOf(node, sample);
  const stale = useAfter(read && read.at + staleAfter * 1000);
  return read && { ...read, stale };
}

type Sample = ReturnType<typeof useSample>;

export function readingOf(
  { metrics, agent }: Pick<Node, "metrics" | "agent">,
  sample: Sample,
): Omit<Reading, "stale"> | undefined {
  const at = metrics ? Date.parse(metrics.observed_at) : 0;
  if (sample && sample.at >= at) return sample;
  if (!metrics || !agent.connected) return undefined;
  return {
    at,
    sessions: metrics.sessions,
    rx: metrics.net_rx_bps,
    tx: metrics.net_tx_bps,
    cpu: metrics.cpu_pct,
    memory: metrics.mem_total > 0 ? (100 * metrics.mem_used) / metrics.mem_total : null,
  };
}
