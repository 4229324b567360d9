import type { Words } from "./words";

export default import.meta.glob<Words>("../modules/*/words.en.json", { eager: true, import: "default" });
