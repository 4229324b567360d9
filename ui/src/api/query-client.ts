import { QueryClient } from "@tanstack/react-query";
import { asProblem } from "./problem";

/** One retry, and only where asking again can help; live events, not timers, keep data fresh. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        networkMode: "always",
        retry: (count, error) => count < 1 && asProblem(error).canRetry && asProblem(error).status !== 429,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}
