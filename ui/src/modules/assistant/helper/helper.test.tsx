import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import AssistantSheet from "../sheet/sheet";
import { helperId, makeHelper, makeState, pageOf, serve } from "../testing";

type Replies = Parameters<typeof serve>[0];

async function draw(replies: Replies) {
  const served = serve({ "GET /assistant/questions": pageOf(), ...replies });
  await renderApp(<AssistantSheet onClose={() => undefined} />, { queries: served.queries });
  await userEvent.click(await screen.findByRole("button", { name: "Set up notifications" }));
  return served;
}

describe("the set-up of notifications", () => {
  it("begins and shows the step that is next", async () => {
    const { written } = await draw({
      "GET /assistant": [{ body: makeState() }, { body: makeState({ helper: makeHelper() }) }],
      "POST /assistant/helper": { status: 201, body: makeHelper() },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Begin" }));
    expect(await screen.findByText("Ask @BotFather.")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Open the page" })).toHaveAttribute("href", "/notifications/settings");
    expect(written()[0]!.body).toEqual({ language: "en" });
  });

  it("says who does it now and since when, and is taken over only by an explicit act", async () => {
    const { written } = await draw({
      "GET /assistant": { body: makeState({ helper: makeHelper({ mine: false }) }) },
      "POST /assistant/helper/cancel": { status: 204 },
    });
    expect(await screen.findByText("maria is setting up notifications")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Begin" })).not.toBeInTheDocument();
    expect(written()).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "End the session of maria" }));
    await waitFor(() =>
      expect(written()[0]).toMatchObject({ path: "/assistant/helper/cancel", body: { id: helperId } }),
    );
  });

  it("shows who was faster when two begin at once", async () => {
    await draw({
      "GET /assistant": [{ body: makeState() }, { body: makeState({ helper: makeHelper({ mine: false }) }) }],
      "POST /assistant/helper": { status: 409, body: { status: 409, code: "assistant_busy", holder: "maria" } },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Begin" }));
    expect(await screen.findByText("maria is setting up notifications")).toBeInTheDocument();
  });

  it("sends the test message by the ordinary route and then looks whether it arrived", async () => {
    const request = { method: "POST" as const, path: "/api/v1/notifications/messenger/test", body: null };
    const [token, test] = makeHelper().steps;
    const steps = [
      { ...token!, state: "done" as const },
      { ...test!, state: "current" as const, request },
    ];
    const { written } = await draw({
      "GET /assistant": { body: makeState({ helper: makeHelper({ step: "test", steps }) }) },
      "POST /notifications/messenger/test": { body: {} },
      "POST /assistant/helper/check": { body: makeHelper() },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Send a test message" }));
    await waitFor(() =>
      expect(written()).toMatchObject([
        { path: "/notifications/messenger/test" },
        { path: "/assistant/helper/check", body: { delivered: true } },
      ]),
    );
  });

  it("shows what the messenger answered", async () => {
    const reason = { code: "messenger_refused", detail: "bot was blocked", en: "It refused.", ru: "Отказ." };
    const request = { method: "POST" as const, path: "/api/v1/notifications/messenger/test", body: null };
    const steps = [{ ...makeHelper().steps[1]!, state: "current" as const, request }];
    await draw({
      "GET /assistant": { body: makeState({ helper: makeHelper({ step: "test", steps }) }) },
      "POST /notifications/messenger/test": { status: 502, body: { status: 502, code: "messenger_error", reason } },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Send a test message" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("bot was blocked");
  });
});
