import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { makeAnswer, makeQuestion, makeState, pageOf, questionId, serve } from "../testing";
import AssistantSheet from "./sheet";

const model = { ...makeState().model, on: true, name: "small" };
const running = makeQuestion({
  state: "running",
  engine: "model",
  finished_at: null,
  answer: makeAnswer({ paragraphs: [] }),
});

/** A stream that says what it is told to, message by message. */
function spoken() {
  let say: (event: string, data: unknown) => void = () => undefined;
  let end: () => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const bytes = new TextEncoder();
      say = (event, data) => controller.enqueue(bytes.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      end = () => controller.close();
    },
  });
  return { body, say: (event: string, data: unknown) => say(event, data), end: () => end() };
}

async function draw(streams: ReturnType<typeof spoken>[]) {
  const served = serve({
    "GET /assistant": { body: makeState({ model }) },
    "GET /assistant/questions": pageOf(running),
    [`POST /assistant/questions/${questionId}/cancel`]: { body: { ...running, state: "cancelled" } },
  });
  const answers = vi.mocked(globalThis.fetch).getMockImplementation()!;
  vi.mocked(globalThis.fetch).mockImplementation((input, init) => {
    if (typeof input === "string" && input.endsWith("/stream") && init?.method === "POST")
      return Promise.resolve(new Response(streams.shift()!.body));
    return answers(input, init);
  });
  await renderApp(<AssistantSheet onClose={() => undefined} />, { queries: served.queries });
  return served;
}

it("shows what a model says while it says it, and the whole answer at the end", async () => {
  const stream = spoken();
  await draw([stream]);
  await screen.findByText("Answering…");
  stream.say("text", { text: "One node " });
  stream.say("read", { path: "/api/v1/nodes", at: running.asked_at, ok: true, missing: [] });
  expect(await screen.findByText("One node")).toBeInTheDocument();
  expect(await screen.findByText("Reads /api/v1/nodes")).toBeInTheDocument();
  stream.say("refused", { tool: "confirm", reason: "unknown_tool" });
  expect(await screen.findByText("The model tried 1 call that it may not make; nothing was done")).toBeVisible();
  stream.say("question", makeQuestion({ engine: "model" }));
  stream.end();
  expect(await screen.findByText("One node is offline.")).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Stop" })).not.toBeInTheDocument();
});

it("opens a stream anew that broke off, and says nothing twice", async () => {
  const [first, second] = [spoken(), spoken()];
  await draw([first, second]);
  await screen.findByText("Answering…");
  first.say("text", { text: "One" });
  expect(await screen.findByText("One")).toBeInTheDocument();
  first.end();
  second.say("text", { text: "One node" });
  expect(await screen.findByText("One node", {}, { timeout: 5_000 })).toBeInTheDocument();
  expect(screen.queryByText("OneOne node")).not.toBeInTheDocument();
});

it("stops an answer that nobody needs any more", async () => {
  const { written } = await draw([spoken()]);
  await userEvent.click(await screen.findByRole("button", { name: "Stop" }));
  await waitFor(() => expect(written()).toHaveLength(1));
  expect(await screen.findByText("Stopped.")).toBeInTheDocument();
});

it("says why a model gave no answer beside the panel's own", async () => {
  const error = { code: "model_silent", text: "The model did not answer in time." };
  const failed = makeQuestion({ state: "failed", engine: "model", error });
  const served = serve({
    "GET /assistant": { body: makeState({ model }) },
    "GET /assistant/questions": pageOf(failed),
  });
  await renderApp(<AssistantSheet onClose={() => undefined} />, { queries: served.queries });
  expect(await screen.findByText("The model did not answer in time.")).toBeInTheDocument();
  expect(screen.getByText("One node is offline.")).toBeInTheDocument();
  expect(screen.getByText("small")).toBeInTheDocument();
});
