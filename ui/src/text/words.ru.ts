import type { Words } from "./words";

export default import.meta.glob<Words>("../modules/*/words.ru.json", { eager: true, import: "default" });
