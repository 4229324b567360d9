import { MutationObserver, QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { learnFromRefusals } from "./refusals";

async function refused(code: string): Promise<unknown[]> {
  const queries = new QueryClient();
  const stale = vi.spyOn(queries, "invalidateQueries").mockResolvedValue();
  const stop = learnFromRefusals(queries);
  const act = new MutationObserver(queries, { mutationFn: () => Promise.reject(new Problem({ status: 403, code })) });
  await act.mutate().catch(() => undefined);
  stop();
  return stale.mock.calls.map(([filter]) => filter?.queryKey);
}

it("asks again for what a refusal contradicts, by its code", async () => {
  expect(await refused("permission_denied")).toEqual([["accounts", "me"]]);
  expect(await refused("password_change_required")).toEqual([["accounts", "me"]]);
  expect(await refused("license_read_only")).toEqual([["license", "status"]]);
  expect(await refused("license_feature_blocked")).toEqual([["license", "status"]]);
  expect(await refused("name_taken")).toEqual([]);
});
