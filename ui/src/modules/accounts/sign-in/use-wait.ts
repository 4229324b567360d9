import { useEffect, useState } from "react";
import { asProblem } from "@/api/problem";

/** Seconds until another try is allowed, counted down from Retry-After. */
export function useWait(error: unknown): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const problem = error ? asProblem(error) : undefined;
    const seconds = problem?.status === 429 ? (problem.retryAfterSeconds ?? 1) : 0;
    const until = Date.now() + seconds * 1000;
    setLeft(seconds);
    if (seconds === 0) return;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000))), 250);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}
