import { EventSourceParserStream } from "eventsource-parser/stream";
import { createStore } from "zustand";
import { problemOf } from "./problem";
import { markSessionEnded, session } from "./session";

/** A change somewhere in the panel. `kind` is a word of the event catalogue such as `node.online`. */
export interface LiveEvent {
  kind: string;
  subject_type?: string;
  subject_id?: string;
  data?: unknown;
}

export type LiveState = "connecting" | "live" | "retrying";

export const live = createStore<{ state: LiveState; failures: number }>(() => ({ state: "connecting", failures: 0 }));

const longestPause = 15_000;

/** Follows the panel's stream of changes until the signal aborts, with growing pauses after failures. */
export async function followChanges(
  onEvent: (event: LiveEvent) => void,
  onReconnect: () => void,
  signal: AbortSignal,
): Promise<void> {
  let lastId: string | undefined;
  while (!signal.aborted) {
    try {
      const response = await open(lastId, signal);
      if (live.getState().failures > 0) onReconnect();
      live.setState({ state: "live", failures: 0 });
      lastId = await read(response, onEvent, lastId);
      throw new Error("the stream ended");
    } catch {
      if (signal.aborted) return;
      const failures = live.getState().failures + 1;
      live.setState({ state: "retrying", failures });
      await pause(Math.min(longestPause, 500 * 2 ** failures), signal);
    }
  }
}

/** Follows one topic of the stream until the signal aborts; what was missed meanwhile is not asked for. */
export async function followTopics(
  topics: string,
  onEvent: (event: LiveEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const response = await open(undefined, signal, `?topics=${encodeURIComponent(topics)}`);
      failures = 0;
      await read(response, onEvent, undefined);
    } catch {
      if (signal.aborted) return;
    }
    await pause(Math.min(longestPause, 1_000 * 2 ** failures), signal);
  }
}

/** Opens the stream. Its refusal is how an untouched page learns that its session was ended elsewhere. */
async function open(lastId: string | undefined, signal: AbortSignal, query = ""): Promise<Response> {
  const { token, ended } = session.getState();
  if (ended) throw new Error("the session has ended");
  const headers: Record<string, string> = {
    Accept: "text/event-stream",
    Authorization: `Bearer ${token ?? ""}`,
  };
  if (lastId) headers["Last-Event-ID"] = lastId;
  const response = await fetch(`/api/v1/stream${query}`, { headers, signal, cache: "no-store" });
  if (response.status === 401 && problemOf(response, await response.json().catch(() => undefined)).endsSession)
    markSessionEnded();
  if (!response.ok || !response.body) throw new Error(`stream answered ${response.status}`);
  return response;
}

async function read(
  response: Response,
  onEvent: (event: LiveEvent) => void,
  lastId: string | undefined,
): Promise<string | undefined> {
  const messages = response
    .body!.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream());
  const reader = messages.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return lastId;
    lastId = value.id ?? lastId;
    const event = parseEvent(value.event, value.data);
    if (event) onEvent(event);
  }
}

/** Reads one message; the name of the message is the kind where the body does not say it. */
export function parseEvent(name: string | undefined, data: string): LiveEvent | undefined {
  try {
    const body = JSON.parse(data) as Partial<LiveEvent>;
    const kind = body.kind ?? name;
    return kind ? { ...body, kind } : undefined;
  } catch {
    return undefined;
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
