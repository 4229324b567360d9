import { IconSparkles } from "@tabler/icons-react";
import { defineModule } from "@/module";

const label = { en: "Assistant", ru: "Помощник" };

/** Answers questions about the panel beside the page that they are about, and proposes changes for a person to make. */
export default defineModule({
  name: "assistant",
  sheet: { label, icon: IconSparkles, needs: ["assistant.use"], load: () => import("./sheet/sheet") },
  settings: [
    {
      key: "assistant",
      order: 70,
      label,
      needs: ["assistant.use"],
      load: () => import("./model/settings-section"),
    },
  ],
  areas: { permissions: { assistant: "protection" }, features: { assistant: "protection" } },
  refresh: ({ kind }) => {
    if (kind === "assistant.helper_changed") return [["assistant", "state"]];
    return kind.startsWith("assistant.") ? [["assistant"]] : [];
  },
});
