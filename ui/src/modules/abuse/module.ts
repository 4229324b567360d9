import { IconShieldHalf } from "@tabler/icons-react";
import { defineModule, type PageEntry } from "@/module";

const label = { en: "Abuse", ru: "Антиабуз" };
const long = { en: "Abuse protection", ru: "Защита от злоупотреблений" };
const protection = { label: { en: "Protection", ru: "Защита" } };
const home = { label, path: "/abuse" };
const view = ["abuse.view" as const];

const page = (entry: Pick<PageEntry, "path" | "title" | "load">): PageEntry => ({
  ...entry,
  parents: [protection, home],
  needs: view,
});

/** Abuse protection: who seems to misuse the service and why, what agents see, and who is no abuse. */
export default defineModule({
  name: "abuse",
  navigation: [
    {
      group: "protection",
      order: 10,
      path: home.path,
      label,
      icon: IconShieldHalf,
      needs: view,
      count: () => import("./cases/api").then(({ openCases }) => openCases()),
    },
  ],
  pages: [
    {
      path: home.path,
      title: label,
      parents: [protection],
      needs: view,
      load: () => import("./cases/cases-page"),
    },
    page({
      path: "/abuse/cases/$id",
      title: { en: "Case", ru: "Кейс" },
      load: () => import("./cases/case-page"),
    }),
    page({
      path: "/abuse/overview",
      title: { en: "Overview", ru: "Обзор" },
      load: () => import("./overview/overview-page"),
    }),
    page({
      path: "/abuse/signals",
      title: { en: "Signals", ru: "Сигналы" },
      load: () => import("./signals/signals-page"),
    }),
    page({
      path: "/abuse/subjects/$ref",
      title: { en: "User", ru: "Пользователь" },
      load: () => import("./subject/subject-page"),
    }),
    page({
      path: "/abuse/blocks",
      title: { en: "Blocks", ru: "Блокировки" },
      load: () => import("./blocks/blocks-page"),
    }),
    page({
      path: "/abuse/lookups",
      title: { en: "Complaints", ru: "Жалобы" },
      load: () => import("./lookup/lookups-page"),
    }),
    page({
      path: "/abuse/lookups/$id",
      title: { en: "Complaint", ru: "Жалоба" },
      load: () => import("./lookup/lookup-page"),
    }),
    page({
      path: "/abuse/allowlist",
      title: { en: "Allow-list", ru: "Разрешённые" },
      load: () => import("./allowlist/allowlist-page"),
    }),
    page({
      path: "/abuse/agents",
      title: { en: "Coverage", ru: "Покрытие" },
      load: () => import("./agents/agents-page"),
    }),
  ],
  clientParts: [
    {
      key: "abuse",
      order: 50,
      label: long,
      needs: view,
      load: () => import("./subject/client-part"),
    },
  ],
  settings: [{ key: "abuse", order: 70, label: long, needs: view, load: () => import("./settings-section") }],
  areas: { permissions: { abuse: "protection" }, features: { abuse: "protection" } },
  refresh: (event) => (event.kind.startsWith("abuse.") ? [["abuse"]] : []),
});
