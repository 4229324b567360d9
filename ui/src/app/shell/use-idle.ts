import { useEffect, useState } from "react";

const longest = 2_000;

/** Whether the first drawing is over: what nobody waits for begins then. */
export function useIdle(): boolean {
  const [idle, setIdle] = useState(false);
  useEffect(() => {
    const begin = () => setIdle(true);
    if (!("requestIdleCallback" in window)) {
      const timer = setTimeout(begin);
      return () => clearTimeout(timer);
    }
    const asked = requestIdleCallback(begin, { timeout: longest });
    return () => cancelIdleCallback(asked);
  }, []);
  return idle;
}
