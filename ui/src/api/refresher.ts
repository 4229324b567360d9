import type { QueryClient, QueryKey } from "@tanstack/react-query";

export const collectFor = 500;

/**
 * Makes queries stale in batches: what arrives within half a second, or while the last batch is being fetched, is
 * fetched once. So a storm of events costs each open list one request at a time, however fast the events come.
 */
export function createRefresher(queries: QueryClient) {
  let waiting = new Map<string, QueryKey>();
  let running = false;
  let stopped = false;

  async function run(): Promise<void> {
    running = true;
    while (waiting.size > 0 && !stopped) {
      await new Promise((resolve) => setTimeout(resolve, collectFor));
      if (stopped) break;
      const batch = withoutCovered([...waiting.values()]);
      waiting = new Map();
      await Promise.allSettled(batch.map((queryKey) => queries.invalidateQueries({ queryKey })));
    }
    running = false;
  }

  return {
    add(keys: readonly QueryKey[]): void {
      keys.forEach((key) => waiting.set(JSON.stringify(key), key));
      if (!running && keys.length > 0) void run();
    },
    stop(): void {
      stopped = true;
    },
  };
}

/** A key that begins with another one of the batch is reached by that one. */
export function withoutCovered(keys: readonly QueryKey[]): QueryKey[] {
  return keys.filter((key) => !keys.some((other) => other.length < key.length && begins(key, other)));
}

function begins(key: QueryKey, prefix: QueryKey): boolean {
  return prefix.every((part, index) => JSON.stringify(part) === JSON.stringify(key[index]));
}
