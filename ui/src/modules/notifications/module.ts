import { defineModule } from "@/module";

/** Notifications: what people are told, by which channels. */
export default defineModule({
  name: "notifications",
  areas: { permissions: { notifications: "system" }, features: { notifications: "system" } },
  refresh: (event) => (event.kind.startsWith("notification.") ? [["notifications"]] : []),
});
