import { defineModule } from "@/module";

/** External proxy panels: their words in the journal, in notices and refusals, and their place in the permissions. */
export default defineModule({
  name: "proxypanel",
  areas: { permissions: { proxypanel: "network" } },
  refresh: (event) => (event.kind.startsWith("proxypanel.") ? [["proxypanel"]] : []),
});
