import { MobileChecker } from "./mobile-checker";
import type { Populated } from "./populated";
import { eventually } from "./processes";
import type { Stand } from "./stand";

interface Named {
  id: string;
}

/** Connects the paid service for external checks, so that its dialogs can name a price. */
export async function connectChecker(stand: Stand, { token }: Populated): Promise<void> {
  const service = new MobileChecker();
  await service.serve();
  const path = "/api/v1/health/bscheck/settings";
  const { revision, settings } = await stand.call<{ revision: number; settings: Record<string, unknown> }>(
    token,
    "GET",
    path,
  );
  const wanted = { ...settings, has_api_key: undefined, address: service.address, api_key: service.key };
  await stand.call(token, "PUT", path, { revision, settings: wanted });
}

/** A node that does not resolve a name which its policy demands: the incident, and what ends it. */
export async function suffer(stand: Stand, { token, node }: Populated) {
  const call = <T>(method: string, path: string, body?: unknown) =>
    stand.call<T>(token, method, `/api/v1/health${path}`, body);
  const policy = await call<Named>("POST", "/policies", {
    name: "Resolves",
    scope: { kind: "node", id: node },
    failure_threshold: 1,
    checks: [
      { type: "heartbeat" },
      { type: "core" },
      { type: "dns", name: "nowhere.invalid", interval_s: 10, timeout_s: 5 },
    ],
  });
  const incident = await eventually("an incident of the node", 120, async () => {
    const { items } = await call<{ items: Named[] }>("GET", `/incidents?state=unresolved&subject_id=${node}`);
    return items[0]?.id;
  });
  return { incident, mend: () => call("DELETE", `/policies/${policy.id}`) };
}
