/** Hands a file to the browser's downloads. */
export function saveFile(name: string, content: Blob | string, type = "text/plain"): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

interface Picks {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;
}

/**
 * Asks where a large file goes and writes it there as it comes, so that it is never whole in memory. False where the
 * browser cannot do that; nothing was asked for then. Throws an AbortError when the person chose no place.
 */
export async function streamFile(name: string, content: () => Promise<ReadableStream<Uint8Array>>): Promise<boolean> {
  const picks = window as Picks;
  if (!picks.showSaveFilePicker) return false;
  const file = await picks.showSaveFilePicker({ suggestedName: name });
  const into = await file.createWritable();
  let from;
  try {
    from = await content();
  } catch (error) {
    await into.abort();
    throw error;
  }
  await from.pipeTo(into);
  return true;
}
