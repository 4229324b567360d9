import { lazy } from "react";
import { defineModule } from "@/module";

/** The first installation: a frame around the steps that modules bring. */
export default defineModule({
  name: "setup",
  pages: [
    {
      path: "/setup",
      title: { en: "First installation", ru: "Первая установка" },
      frame: "bare",
      load: () => import("./setup-page"),
    },
  ],
  setup: [
    {
      key: "checks",
      order: 10,
      label: { en: "Language and checks", ru: "Язык и проверки" },
      Step: lazy(() => import("./checks-step")),
    },
    {
      key: "admin",
      order: 20,
      label: { en: "Administrator", ru: "Администратор" },
      Step: lazy(() => import("./admin-step")),
    },
    { key: "done", order: 90, label: { en: "Done", ru: "Готово" }, Step: lazy(() => import("./done-step")) },
  ],
});
