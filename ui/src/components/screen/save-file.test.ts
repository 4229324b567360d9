import { afterEach, describe, expect, it, vi } from "vitest";
import { streamFile } from "./save-file";

/** A browser that lets pages write files, and what it kept of one. */
function disk() {
  const kept = { name: "", pieces: [] as string[], closed: false, dropped: false };
  const stream = () =>
    new WritableStream<Uint8Array>({
      write: (piece) => void kept.pieces.push(new TextDecoder().decode(piece)),
      close: () => void (kept.closed = true),
      abort: () => void (kept.dropped = true),
    });
  const pick = ({ suggestedName }: { suggestedName: string }) => {
    kept.name = suggestedName;
    return Promise.resolve({ createWritable: () => Promise.resolve(stream()) });
  };
  vi.stubGlobal("showSaveFilePicker", pick);
  return kept;
}

const pieces = (...texts: (string | Error)[]) =>
  new ReadableStream<Uint8Array>({
    pull: (to) => {
      const next = texts.shift();
      if (next === undefined) return to.close();
      return next instanceof Error ? to.error(next) : to.enqueue(new TextEncoder().encode(next));
    },
  });

describe("a large file", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("is written piece by piece under the name that was offered", async () => {
    const kept = disk();
    expect(await streamFile("backup.tar", () => Promise.resolve(pieces("one", "two")))).toBe(true);
    expect(kept).toMatchObject({ name: "backup.tar", pieces: ["one", "two"], closed: true });
  });

  it("is dropped when it breaks off or is refused", async () => {
    for (const content of [
      () => Promise.resolve(pieces("one", new TypeError("network"))),
      () => Promise.reject(new Error("refused")),
    ]) {
      const kept = disk();
      await expect(streamFile("backup.tar", content)).rejects.toThrow(/network|refused/);
      expect(kept).toMatchObject({ closed: false, dropped: true });
    }
  });

  it("is not asked for where no place was chosen, or pages cannot write files", async () => {
    const content = vi.fn(() => Promise.resolve(pieces("one")));
    vi.stubGlobal("showSaveFilePicker", () => Promise.reject(new DOMException("no place", "AbortError")));
    await expect(streamFile("backup.tar", content)).rejects.toThrow("no place");
    vi.unstubAllGlobals();
    expect(await streamFile("backup.tar", content)).toBe(false);
    expect(content).not.toHaveBeenCalled();
  });
});
