import type { CustomPlan } from "../shared/custom-plans";
import { at } from "./places";

/** What rules over the flows of tests: a policy, and a custom plan with two versions of which it enables the older. */

export const officePolicy = { id: "p-office", name: "Office", kind: "security" };

const made = { created_at: at(-60), created_by: "anna", used_by: [], schema_hash: "a" };

export const upstream: CustomPlan = {
  id: "cp-1",
  name: "Upstream",
  versions: [
    {
      ...made,
      id: "cpv-2",
      number: 2,
      body: { way: "socks", address: "2001:db8::7", port: 1080 },
      has_password: true,
      enabled_in_policies: [{ id: "p-other", name: "Other" }],
    },
    {
      ...made,
      id: "cpv-1",
      number: 1,
      body: { way: "direct", family: "ipv4" },
      has_password: false,
      enabled_in_policies: [{ id: officePolicy.id, name: officePolicy.name }],
    },
  ],
  created_at: at(-60),
  updated_at: at(-60),
};
