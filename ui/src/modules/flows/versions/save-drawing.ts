import { saveFile } from "@/components/screen/save-file";
import type { Drawing } from "../drawing/drawing";
import { fileName } from "../shared/file-name";

/** Hands a drawing to the browser's downloads as JSON, named after the flow and its version. */
export function saveDrawing(flow: string, version: string, drawing: Drawing): void {
  saveFile(`${fileName(flow)}-${version}.json`, `${JSON.stringify(drawing, null, 2)}\n`, "application/json");
}
