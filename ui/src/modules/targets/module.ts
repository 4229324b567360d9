import { defineModule } from "@/module";

/** Searches for sites that REALITY listeners may show to strangers. */
export default defineModule({ name: "targets" });
