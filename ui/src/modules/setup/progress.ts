const key = "panel-setup-results";

/** What a finished step left to show. */
export interface Result {
  text: string;
  skipped?: boolean;
}

/** All of them, kept in this browser so that the installation can be continued. */
export type Results = Record<string, Result>;

export function readResults(): Results {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") as Results;
  } catch {
    return {};
  }
}

export function keepResults(results: Results): void {
  localStorage.setItem(key, JSON.stringify(results));
}

export function forgetResults(): void {
  localStorage.removeItem(key);
}

/** The step to open: the first without a result, never one before the administrator exists. */
export function stepToOpen(steps: readonly string[], results: Results, administrator: boolean): string {
  const done = (step: string) => step in results || (administrator && (step === "checks" || step === "admin"));
  const reachable = administrator ? steps : steps.slice(0, steps.indexOf("admin") + 1);
  return reachable.find((step) => !done(step)) ?? reachable.at(-1) ?? "";
}
