import { IconArrowBackUp, IconArrowBarRight, IconTopologyStar3 } from "@tabler/icons-react";
import { defineModule } from "@/module";

const label = { en: "Transit pools", ru: "Транзитные пулы" };
const view = ["connection_units.view" as const];
const network = { label: { en: "Network", ru: "Сеть" } };

/** Nodes that share the traffic of a flow. */
export default defineModule({
  name: "pools",
  navigation: [{ group: "network", order: 22, path: "/pools", label, icon: IconTopologyStar3, needs: view }],
  pages: [
    { path: "/pools", title: label, parents: [network], needs: view, load: () => import("./pools-page") },
    {
      path: "/pools/$id",
      title: { en: "Transit pool", ru: "Транзитный пул" },
      parents: [network, { label, path: "/pools" }],
      needs: view,
      load: () => import("./pool-page"),
    },
  ],
  overview: { order: 25, needs: view, later: true, load: () => import("./pools-overview") },
  search: {
    needs: view,
    find: (text, signal) => import("./find-pools").then(({ findPools }) => findPools(text, signal)),
  },
  acts: [
    {
      key: "drain",
      label: { en: "Drain", ru: "Увести трафик" },
      icon: IconArrowBarRight,
      verbs: ["drain", "увести", "увести трафик с", "разгрузить"],
      none: {
        en: "No member of a transit pool has this name. Any node can be put into maintenance.",
        ru: "Ни в одном транзитном пуле нет участника с таким именем. Обслуживание можно начать на любой ноде.",
      },
      needs: ["connection_units.apply"],
      feature: "flows",
    },
    {
      key: "drain_end",
      label: { en: "Give traffic again", ru: "Вернуть трафик" },
      icon: IconArrowBackUp,
      verbs: ["give traffic again", "undrain", "вернуть трафик"],
      none: {
        en: "No drained member of a transit pool has this name.",
        ru: "Ни в одном транзитном пуле нет участника с таким именем, с которого увели трафик.",
      },
      needs: ["connection_units.apply"],
      feature: "flows",
    },
  ],
  refresh: ({ kind }) =>
    kind.startsWith("pool.") || kind === "flow.draft_saved" || kind === "flow.apply_succeeded" ? [["pools"]] : [],
});
