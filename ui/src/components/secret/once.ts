import { useEffect, useState } from "react";
import { serverNow } from "@/api/server-clock";

/** How long a revealed secret stays on the screen. */
export const shownFor = 60_000;

export type Once<Value> =
  | { kind: "hidden" | "asking" | "gone" }
  | { kind: "failed"; error: unknown }
  | { kind: "shown"; value: Value; until: number };

/** A value that is asked for once, lives in this component only, and is gone after a minute, on close and on leave. */
export function useOnce<Value>(ask: () => Promise<Value>) {
  const [state, setState] = useState<Once<Value>>({ kind: "hidden" });
  const until = state.kind === "shown" ? state.until : undefined;
  useEffect(() => {
    if (until === undefined) return;
    const forget = () => setState({ kind: "gone" });
    const timer = setTimeout(forget, until - serverNow());
    window.addEventListener("pagehide", forget);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("pagehide", forget);
    };
  }, [until]);
  const reveal = () => {
    setState({ kind: "asking" });
    ask().then(
      (value) => setState({ kind: "shown", value, until: serverNow() + shownFor }),
      (error: unknown) => setState({ kind: "failed", error }),
    );
  };
  return { state, reveal };
}
