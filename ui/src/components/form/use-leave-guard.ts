import { useBlocker } from "@tanstack/react-router";
import { askToLeave } from "./leave";

/** Asks before a page with typed text is left: in the page's own dialog for a link, by the browser for its tab. */
export function useLeaveGuard(dirty: boolean): void {
  useBlocker({
    shouldBlockFn: async () => dirty && !(await askToLeave()),
    enableBeforeUnload: () => dirty,
    disabled: !dirty,
  });
}
