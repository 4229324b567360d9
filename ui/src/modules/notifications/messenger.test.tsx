import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { renderApp } from "@/testing/render-app";
import { saidBy } from "./messenger-test";
import NotificationsSetupStep from "./notifications-setup-step";
import SettingsSection from "./settings/settings-section";
import { makeSettings, serve } from "./testing";

const refusal = (status: number, code: string, detail: string) => ({ status, body: { status, code, detail } });

async function open(outcome: object, settings = makeSettings(), permissions?: string[]) {
  const panel = serve({ "GET /settings": { body: settings }, "POST /messenger/test": outcome }, permissions);
  await renderApp(<SettingsSection />, { queries: panel.queries });
  const act = await screen.findByRole("button", { name: /^Send a test/ });
  return { ...panel, send: () => userEvent.click(act) };
}

describe("the test of the messenger", () => {
  it("says that it was sent, and where to look", async () => {
    const { send } = await open({ body: { sent: true, message_id: "7" } });
    await send();
    expect(await screen.findByText("Sent. Look at your chat.")).toBeInTheDocument();
  });

  it("says what is missing and goes to the field", async () => {
    const missing = refusal(400, "notifications_not_configured", "the bot token or the chat id is missing");
    const { send } = await open(missing, makeSettings({ has_bot_token: false }));
    await send();
    expect(await screen.findByText("The bot token or the chat id is missing")).toBeInTheDocument();
    expect(screen.getByLabelText("Bot token")).toHaveFocus();
  });

  it("goes to the chat id where the token is there", async () => {
    const missing = refusal(400, "notifications_not_configured", "the bot token or the chat id is missing");
    const { send } = await open(missing, makeSettings({ chat_id: "" }));
    await send();
    await screen.findByText("The bot token or the chat id is missing");
    expect(screen.getByLabelText("Chat id")).toHaveFocus();
  });

  it("gives the messenger's own words", async () => {
    const reason = { code: "messenger_refused", detail: "Bad Request: chat not found", en: "", ru: "" };
    const { status, body } = refusal(502, "messenger_error", "the messenger refused the test: Bad Request");
    const { send } = await open({ status, body: { ...body, reason } });
    await send();
    expect(await screen.findByText("The messenger refused the test. It says:")).toBeInTheDocument();
    expect(screen.getByText("Bad Request: chat not found")).toBeInTheDocument();
  });

  it("says in the reader's language why the messenger could not be asked", () => {
    const reason = { code: "connection_refused", detail: "", en: "it refused", ru: "сервер отклонил соединение" };
    const problem = new Problem({ status: 502, code: "messenger_error", detail: "the messenger refused", reason });
    expect(saidBy(problem, "ru")).toBe("сервер отклонил соединение");
    expect(saidBy(problem, "en")).toBe("it refused");
    expect(saidBy(new Problem({ status: 502, code: "messenger_error", detail: "as it is" }), "ru")).toBe("as it is");
  });

  it("hints at network and proxy when there was no answer in time", async () => {
    const { send } = await open(refusal(504, "messenger_timeout", "the messenger did not answer in time"));
    await send();
    expect(await screen.findByText("The messenger did not answer in time")).toBeInTheDocument();
    expect(screen.getByText(/Check the server's network, or set a proxy/)).toBeInTheDocument();
  });

  it("waits until what was typed is saved, as it takes what is stored", async () => {
    const { send, written } = await open({ body: { sent: true, message_id: "7" } });
    await userEvent.type(screen.getByLabelText("Chat id"), "1");
    expect(screen.getByText("Save the changes first")).toBeInTheDocument();
    await send();
    expect(written()).toEqual([]);
  });
});

describe("the settings of notifications", () => {
  it("never show a secret, only that it is stored", async () => {
    await open({});
    expect(screen.getByLabelText("Bot token")).toHaveValue("");
    expect(screen.getByLabelText("Bot token")).toHaveAttribute("placeholder", "Stored. Type to replace it.");
  });

  it("are closed, with the reason, to whoever may only read them", async () => {
    await open({}, makeSettings(), ["notifications.view"]);
    expect(screen.getByLabelText("Chat id")).toBeDisabled();
    expect(screen.getAllByText("Needs the permission notifications.manage").length).toBeGreaterThan(0);
  });
});

describe("the step of the first installation", () => {
  async function step(settings = makeSettings({ has_bot_token: false, chat_id: "" }), readOnly = false) {
    const panel = serve({
      "GET /settings": { body: settings },
      "PUT /settings": { body: { ...makeSettings(), revision: settings.revision + 1 } },
      "POST /messenger/test": { body: { sent: true, message_id: "7" } },
    });
    const onDone = vi.fn();
    await renderApp(<NotificationsSetupStep onDone={onDone} onBack={undefined} readOnly={readOnly} />, {
      queries: panel.queries,
    });
    await screen.findByLabelText("Bot token");
    return { ...panel, onDone };
  }

  it("stores token and chat, and sends a test", async () => {
    const { written, onDone } = await step();
    await userEvent.type(screen.getByLabelText("Bot token"), "1:abc");
    await userEvent.type(screen.getByLabelText("Chat id"), "-100200");
    await userEvent.click(screen.getByRole("button", { name: "Save and send a test" }));
    expect(await screen.findByText("Sent. Look at your chat.")).toBeInTheDocument();
    expect(written()[0]).toMatchObject({
      method: "PUT",
      body: { revision: 4, settings: { messenger: { bot_token: "1:abc", chat_id: "-100200" } } },
    });
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    await expect.poll(() => onDone.mock.calls).toEqual([["Messenger"]]);
  });

  it("asks whose settings hold when somebody else has saved meanwhile", async () => {
    await step();
    const theirs = { ...makeSettings({ has_bot_token: false, chat_id: "-5" }), revision: 9 };
    const panel = serve({
      "GET /settings": { body: theirs },
      "PUT /settings": [{ status: 409, body: { status: 409, code: "revision_conflict" } }, { body: makeSettings() }],
    });
    await userEvent.type(screen.getByLabelText("Bot token"), "1:abc");
    await userEvent.type(screen.getByLabelText("Chat id"), "-100200");
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    expect(await screen.findByText("These settings were changed while you were typing")).toBeInTheDocument();
    expect(screen.getByLabelText("Chat id")).toHaveValue("-100200");
    await userEvent.click(screen.getByRole("button", { name: "Overwrite with mine" }));
    await expect
      .poll(() => panel.written().map(({ body }) => body))
      .toMatchObject([
        { revision: 4 },
        { revision: 9, settings: { messenger: { bot_token: "1:abc", chat_id: "-100200" } } },
      ]);
    expect(screen.queryByText("These settings were changed while you were typing")).not.toBeInTheDocument();
  });

  it("shows what somebody else has saved meanwhile, if that is to hold", async () => {
    await step();
    const theirs = { ...makeSettings({ has_bot_token: true, chat_id: "-5" }), revision: 9 };
    serve({
      "GET /settings": { body: theirs },
      "PUT /settings": { status: 409, body: { status: 409, code: "revision_conflict" } },
    });
    await userEvent.type(screen.getByLabelText("Bot token"), "1:abc");
    await userEvent.type(screen.getByLabelText("Chat id"), "-100200");
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    await userEvent.click(await screen.findByRole("button", { name: "Load current settings" }));
    await expect.poll(() => screen.getByLabelText("Chat id")).toHaveValue("-5");
    expect(screen.getByLabelText("Bot token")).toHaveValue("");
  });

  it("can be skipped", async () => {
    const { onDone, written } = await step();
    await userEvent.click(screen.getByRole("button", { name: "Skip" }));
    expect(onDone).toHaveBeenCalledWith("Later", true);
    expect(written()).toEqual([]);
  });

  it("is closed while the panel is read-only", async () => {
    await step(undefined, true);
    expect(screen.getByLabelText("Chat id")).toBeDisabled();
  });
});
