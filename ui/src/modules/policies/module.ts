import { IconShieldCheck } from "@tabler/icons-react";
import { defineModule } from "@/module";

const label = { en: "Policies", ru: "Политики" };
const view = ["connection_units.view" as const];

/** What rules over flows: policies, the catalogue and custom plans. */
export default defineModule({
  name: "policies",
  navigation: [{ group: "network", order: 23, path: "/policies", label, icon: IconShieldCheck, needs: view }],
  pages: [
    {
      path: "/policies",
      title: label,
      parents: [{ label: { en: "Network", ru: "Сеть" } }],
      needs: view,
      load: () => import("./policies-page"),
    },
  ],
  refresh: ({ kind }) =>
    kind.startsWith("policy.") || kind.startsWith("custom_plan.") || kind === "flow.apply_succeeded"
      ? [["policies"]]
      : [],
});
