import { defineModule } from "@/module";

/** What was started and can be followed; its place is the tray in the top bar. */
export default defineModule({
  name: "operations",
  refresh: (event) => (event.kind === "operation.changed" ? [["operations"]] : []),
});
