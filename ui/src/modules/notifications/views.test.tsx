import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { renderApp } from "@/testing/render-app";
import ChannelsPage from "./channels-page";
import { ChannelsView } from "./channels-view";
import DeliveriesPage from "./deliveries-page";
import { DeliveriesView } from "./deliveries-view";
import RulesPage from "./rules-page";
import { RulesView } from "./rules-view";
import {
  channelId,
  events,
  makeDelivery,
  makeMail,
  makeReason,
  makeRule,
  makeSettings,
  makeWebhook,
  pageOf,
  serve,
} from "./testing";

const base = () => ({
  "GET /channels": pageOf(makeWebhook(), makeMail()),
  "GET /rules": pageOf(makeRule()),
  "GET /events": { body: { items: events } },
  "GET /settings": { body: makeSettings() },
  "GET /deliveries": pageOf(
    makeDelivery({ state: "failed", reason: makeReason("chat not found", "чат не найден"), attempts: 3 }),
  ),
});
const nothing = () => undefined;

describe("channels", () => {
  it("show the messenger first, each with its kind, state and last delivery", async () => {
    const { queries, asked } = serve(base());
    await renderApp(<ChannelsPage />, { queries });
    const rows = (await screen.findAllByRole("row")).slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringContaining("Messenger"),
      expect.stringContaining("desk.example"),
      expect.stringContaining("anna@example.net"),
    ]);
    expect(rows[2]).toHaveTextContent("Off");
    expect(await within(rows[0]!).findByText("Not delivered")).toBeInTheDocument();
    expect(rows[1]).toHaveTextContent("Nothing was sent yet");
    expect(rows[2]).toHaveTextContent("Sent");
    expect(asked.filter(({ path }) => path === "/deliveries")).toHaveLength(1);
  });

  it("are added with the secret that was typed", async () => {
    const { queries, written } = serve({ ...base(), "POST /channels": { status: 201, body: makeWebhook() } });
    await renderApp(<ChannelsPage />, { queries });
    await userEvent.click(await screen.findByRole("button", { name: "Add channel" }));
    const dialog = within(await screen.findByRole("dialog"));
    await userEvent.click(dialog.getByRole("button", { name: "Add channel" }));
    expect(dialog.getByText("Enter a name")).toBeInTheDocument();
    await userEvent.type(dialog.getByLabelText("Name"), "Desk");
    await userEvent.type(dialog.getByLabelText("Address"), "https://desk.example/hook");
    await userEvent.type(dialog.getByLabelText("Key of the signature"), "0123456789abcdef");
    await userEvent.click(dialog.getByRole("button", { name: "Add channel" }));
    await expect.poll(() => written()).toHaveLength(1);
    expect(written()[0]!.body).toMatchObject({
      kind: "webhook",
      webhook: { url: "https://desk.example/hook", secret: "0123456789abcdef" },
    });
  });

  it("put a refusal at its field", async () => {
    const errors = [{ field: "body.webhook.url", code: "invalid_value", message: "must be in the public internet" }];
    const refused = { status: 422, body: { status: 422, code: "invalid_value", errors } };
    const { queries } = serve({ ...base(), [`PATCH /channels/${channelId}`]: refused });
    await renderApp(<ChannelsPage />, { queries });
    await userEvent.click(await screen.findByRole("button", { name: "Duty desk" }));
    const dialog = within(await screen.findByRole("dialog"));
    await userEvent.type(dialog.getByLabelText("Address"), "https://10.0.0.1/");
    await userEvent.click(dialog.getByRole("button", { name: "Save" }));
    expect(await dialog.findByText("must be in the public internet")).toBeInTheDocument();
  });

  it("answer a test with the course of its delivery", async () => {
    const queued = makeDelivery({ channel: channelId, kind: "notification.test", state: "queued", attempts: 0 });
    const failed = {
      ...queued,
      state: "failed" as const,
      attempts: 3,
      reason: makeReason("the receiver answered 500"),
    };
    const { queries } = serve({
      ...base(),
      [`POST /channels/${channelId}/test`]: { status: 202, body: queued },
      [`GET /deliveries/${queued.id}`]: { body: failed },
    });
    await renderApp(<ChannelsPage />, { queries });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Duty desk" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Send a test" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(await dialog.findByText("the receiver answered 500")).toBeInTheDocument();
    expect(dialog.getByText("3 attempts")).toBeInTheDocument();
  });

  it("say what failed to load, and try again", async () => {
    const retry = vi.fn();
    const error = new Problem({ status: 503, code: "unavailable" });
    const state = { kind: "error" as const, error, retry };
    await renderApp(
      <ChannelsView
        state={state}
        messenger={undefined}
        block={undefined}
        onEdit={nothing}
        onRemove={nothing}
        onTest={nothing}
      />,
    );
    expect(await screen.findByText("The channels were not loaded")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Retry" }));
    expect(retry).toHaveBeenCalledOnce();
  });

  it("are read, and not changed, by whoever may only see them", async () => {
    const { queries } = serve(base(), ["notifications.view"]);
    await renderApp(<ChannelsPage />, { queries });
    expect(await screen.findByText("Duty desk")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Duty desk" })).not.toBeInTheDocument();
    expect(screen.getByRole("button", { name: /^Add channel/ })).toHaveAttribute("aria-disabled", "true");
  });
});

describe("rules", () => {
  it("stand in words: event, severity, channels and repeats", async () => {
    const { queries } = serve(base());
    await renderApp(<RulesPage />, { queries });
    const row = (await screen.findAllByRole("row"))[1]!;
    expect(await within(row).findByText("Nodes: all events")).toBeInTheDocument();
    expect(await within(row).findByText("Messenger, Duty desk")).toBeInTheDocument();
    expect(row).toHaveTextContent("From warning on");
    expect(row).toHaveTextContent("5 min per object");
    expect(row).not.toHaveTextContent("node.*");
  });

  it("say what they are for while there is none", async () => {
    const { queries } = serve({ ...base(), "GET /rules": pageOf() });
    await renderApp(<RulesPage />, { queries });
    expect(await screen.findByText("No rules yet")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Add rule" })).toBeInTheDocument();
  });

  it("warn of one whose event does not exist, and of one without channels", async () => {
    await renderApp(
      <RulesView
        state={{ kind: "ready", data: [makeRule({ known: false, event: "old.gone", channels: [] })] }}
        events={events}
        channels={[]}
        block={undefined}
        add={null}
        onEdit={nothing}
        onRemove={nothing}
      />,
    );
    expect(await screen.findByText("No such event")).toBeInTheDocument();
    expect(screen.getByText("No channel")).toBeInTheDocument();
  });

  it("are added", async () => {
    const { queries, written } = serve({ ...base(), "POST /rules": { status: 201, body: makeRule() } });
    await renderApp(<RulesPage />, { queries });
    await userEvent.click(await screen.findByRole("button", { name: "Add rule" }));
    const dialog = within(await screen.findByRole("dialog"));
    await userEvent.type(dialog.getByLabelText("Name"), "All warnings");
    await userEvent.click(dialog.getByRole("button", { name: "Add rule" }));
    await expect.poll(() => written()).toHaveLength(1);
    expect(written()[0]!.body).toMatchObject({ name: "All warnings", event: "*", channels: ["messenger"] });
  });

  it("are removed after a question that says what follows", async () => {
    const { queries, written } = serve({ ...base(), [`DELETE /rules/${makeRule().id}`]: { status: 204 } });
    await renderApp(<RulesPage />, { queries });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Warnings" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Remove rule" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText("What is already waiting is still sent.")).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("button", { name: "Remove rule" }));
    await expect.poll(() => written()).toHaveLength(1);
  });
});

describe("deliveries", () => {
  it("say in words what happened, how it went and why it failed", async () => {
    const { queries } = serve(base());
    await renderApp(<DeliveriesPage />, { queries });
    const row = (await screen.findAllByRole("row"))[1]!;
    expect(await within(row).findByText("A node is offline")).toBeInTheDocument();
    expect(row).toHaveTextContent("fra-02");
    expect(row).toHaveTextContent("Not delivered");
    expect(row).toHaveTextContent("chat not found");
  });

  it("keep their filters in the address", async () => {
    const { queries, asked } = serve(base());
    const { address } = await renderApp(<DeliveriesPage />, { queries, path: "/deliveries?state=failed&channel=x" });
    expect(await screen.findByText("A node is offline")).toBeInTheDocument();
    expect(asked.some(({ path }) => path === "/deliveries")).toBe(true);
    await userEvent.click(screen.getByRole("button", { name: "Remove the filter State: Not delivered" }));
    await expect.poll(address).toBe("/deliveries?channel=x");
  });

  it("tell nothing sent from nothing found", async () => {
    const clear = vi.fn();
    const view = (filtered: boolean) => (
      <DeliveriesView
        state={{ kind: "ready", data: [] }}
        total={0}
        filtered={filtered}
        eventWords={(kind) => kind}
        onClear={clear}
        more={undefined}
      />
    );
    const first = await renderApp(view(false));
    expect(await screen.findByText("Nothing was sent yet")).toBeInTheDocument();
    first.unmount();
    await renderApp(view(true));
    await userEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
    expect(clear).toHaveBeenCalledOnce();
  });
});
