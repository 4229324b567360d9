import { defineModule } from "@/module";

/** Abuse protection: how long what agents tell of it is kept. */
export default defineModule({
  name: "abuse",
  settings: [
    {
      key: "abuse",
      order: 70,
      label: { en: "Abuse protection", ru: "Защита от злоупотреблений" },
      needs: ["abuse.view"],
      load: () => import("./settings-section"),
    },
  ],
  areas: { permissions: { abuse: "protection" }, features: { abuse: "protection" } },
  refresh: (event) => (event.kind.startsWith("abuse.") ? [["abuse"]] : []),
});
