import { IconUsers } from "@tabler/icons-react";
import { defineModule } from "@/module";

const label = { en: "Clients", ru: "Клиенты" };
const view = ["connection_units.view" as const];

/** Who uses flows: people and devices, over all flows. */
export default defineModule({
  name: "clients",
  navigation: [{ group: "network", order: 25, path: "/clients", label, icon: IconUsers, needs: view }],
  pages: [
    {
      path: "/clients",
      title: label,
      parents: [{ label: { en: "Network", ru: "Сеть" } }],
      needs: view,
      load: () => import("./clients-page"),
    },
    {
      path: "/clients/$id",
      title: { en: "Client", ru: "Клиент" },
      parents: [{ label: { en: "Network", ru: "Сеть" } }, { label, path: "/clients" }],
      needs: view,
      load: () => import("./client/client-page"),
    },
  ],
  refresh: ({ kind }) =>
    kind.startsWith("client.") || kind.startsWith("flow.client") || kind === "flow.apply_succeeded"
      ? [["clients"]]
      : [],
});
