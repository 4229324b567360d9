import { merged, type Words } from "./words";

export default merged(import.meta.glob<Words>("../modules/*/words.ru.json", { eager: true, import: "default" }));
