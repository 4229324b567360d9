import { IconBell } from "@tabler/icons-react";
import { lazy } from "react";
import { defineModule, type PageEntry } from "@/module";

const label = { en: "Notifications", ru: "Уведомления" };
const protection = { label: { en: "Protection", ru: "Защита" } };
const home = { label, path: "/notifications" };

const page = (entry: Pick<PageEntry, "path" | "title" | "load">, ...above: (typeof home)[]): PageEntry => ({
  ...entry,
  parents: [protection, ...above],
  needs: ["notifications.view"],
});

/** Notifications: what people are told, by which channels. */
export default defineModule({
  name: "notifications",
  navigation: [
    {
      group: "protection",
      order: 30,
      path: "/notifications",
      label,
      icon: IconBell,
      needs: ["notifications.view"],
    },
  ],
  overview: { order: 75, needs: ["notifications.view"], later: true, load: () => import("./notifications-overview") },
  pages: [
    page({ path: "/notifications", title: label, load: () => import("./channels-page") }),
    page(
      { path: "/notifications/rules", title: { en: "Rules", ru: "Правила" }, load: () => import("./rules-page") },
      home,
    ),
    page(
      {
        path: "/notifications/deliveries",
        title: { en: "Deliveries", ru: "Доставка" },
        load: () => import("./deliveries-page"),
      },
      home,
    ),
    page(
      {
        path: "/notifications/settings",
        title: { en: "Settings", ru: "Настройки" },
        load: () => import("./settings/settings-page"),
      },
      home,
    ),
  ],
  setup: [
    {
      key: "notifications",
      order: 60,
      label,
      needsLicense: true,
      Step: lazy(() => import("./notifications-setup-step")),
    },
  ],
  settings: [
    {
      key: "notifications",
      order: 50,
      label,
      needs: ["notifications.view"],
      load: () => import("./settings/settings-section"),
    },
  ],
  areas: { permissions: { notifications: "protection" }, features: { notifications: "protection" } },
  refresh: ({ kind }) => {
    if (kind === "notification.delivery_moved" || kind === "notification.failed")
      return [
        ["notifications", "deliveries"],
        ["notifications", "channels"],
      ];
    return kind.startsWith("notification.") ? [["notifications"]] : [];
  },
});
