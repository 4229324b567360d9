import { startTransition, useEffect, useRef, useState, type ReactNode } from "react";

/** So far below the window a thing begins to be drawn. */
const margin = "100px";

/**
 * Draws what stands below the window when it comes near, so that what is in sight can be used earlier. It stays drawn
 * then; a printed page has everything.
 */
export function InSight({ height, children }: { height: number; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(() => !("IntersectionObserver" in window));
  useEffect(() => {
    if (near || !place.current) return;
    const show = () => setNear(true);
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && startTransition(show), {
      rootMargin: margin,
    });
    watcher.observe(place.current);
    window.addEventListener("beforeprint", show);
    return () => {
      watcher.disconnect();
      window.removeEventListener("beforeprint", show);
    };
  }, [near]);
  return near ? children : <div ref={place} style={{ minHeight: height }} />;
}
