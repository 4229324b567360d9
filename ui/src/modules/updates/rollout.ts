import type { GlyphKind } from "@/components/status/glyph";
import type { Rollout } from "./api";

/** An act on a rollout or on one node of it: stop, or try again. */
export interface AgentAct {
  run: (id: string) => void;
  busy: boolean;
  error: unknown;
}

export const rolloutGlyphs: Record<Rollout["state"], GlyphKind> = {
  running: "applying",
  done: "healthy",
  failed: "down",
  stopped: "skipped",
};
