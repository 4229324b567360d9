import { answer, api } from "@/api/client";
import { saveFile } from "@/components/screen/save-file";
import type { Flow } from "../shared/api";
import { fileName } from "../shared/file-name";

/** Saves the draft of a flow as a file that an import reads; no key, secret, client or link is in it. */
export async function exportFlow({ id, name }: Pick<Flow, "id" | "name">): Promise<void> {
  const call = api.GET("/api/v1/connection-units/{id}/export", { params: { path: { id } }, parseAs: "blob" });
  saveFile(`${fileName(name)}.json`, (await answer(call as Promise<{ data?: Blob; response: Response }>))!);
}
