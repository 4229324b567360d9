import { useQueryClient } from "@tanstack/react-query";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { useEffect, useState } from "react";
import { session } from "@/api/session";
import { keepQuestion, type Question, type ReadRoute, type RefusedCall } from "../api";

interface Said {
  text: string;
  read: ReadRoute[];
  refused: RefusedCall[];
}

const nothing: Said = { text: "", read: [], refused: [] };

/**
 * Follows the answer of a model while it comes. A stream begins with all that was said, so one that broke is opened
 * anew.
 */
export function useAnswerStream(id: string): Said {
  const queries = useQueryClient();
  const [said, setSaid] = useState(nothing);
  useEffect(() => {
    const leaving = new AbortController();
    void follow(
      id,
      leaving.signal,
      (change) => setSaid(change),
      (question) => keepQuestion(queries, question),
    ).catch(() => undefined);
    return () => leaving.abort();
  }, [id, queries]);
  return said;
}

type Change = (change: (before: Said) => Said) => void;

async function follow(id: string, signal: AbortSignal, change: Change, end: (question: Question) => void) {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      change(() => nothing);
      if (await read(await open(id, signal), change, end)) return;
    } catch {
      if (signal.aborted) return;
    }
    await pause(Math.min(15_000, 1_000 * 2 ** failures), signal);
  }
}

/** The first who follows has the answer made, so following is a POST. */
async function open(id: string, signal: AbortSignal): Promise<Response> {
  const headers = { Accept: "text/event-stream", Authorization: `Bearer ${session.getState().token ?? ""}` };
  const path = `/api/v1/assistant/questions/${id}/stream`;
  const response = await fetch(path, { method: "POST", headers, signal, cache: "no-store" });
  if (!response.ok || !response.body) throw new Error(`stream answered ${response.status}`);
  return response;
}

/** Whether the answer came to its end. */
async function read(response: Response, change: Change, end: (question: Question) => void): Promise<boolean> {
  const messages = response
    .body!.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (;;) {
    const { done, value } = await messages.read();
    if (done) return false;
    if (value.event === "question") {
      end(JSON.parse(value.data) as Question);
      return true;
    }
    if (value.event === "text") {
      const { text } = JSON.parse(value.data) as { text: string };
      change((before) => ({ ...before, text: before.text + text }));
    }
    if (value.event === "read") {
      const one = JSON.parse(value.data) as ReadRoute;
      change((before) => ({ ...before, read: [...before.read, one] }));
    }
    if (value.event === "refused") {
      const one = JSON.parse(value.data) as RefusedCall;
      change((before) => ({ ...before, refused: [...before.refused, one] }));
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
