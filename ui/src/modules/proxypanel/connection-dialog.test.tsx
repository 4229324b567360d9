import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import i18next from "i18next";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import type { Connection } from "./api";
import { ConnectionDialog } from "./connection-dialog";
import { connectionId, makeConnection, pageOf, scopes, serve } from "./testing";

const add = "POST /proxypanel/connections";
const change = `PATCH /proxypanel/connections/${connectionId}`;

async function open(connection: Connection | undefined, more: Parameters<typeof serve>[0] = {}) {
  const panel = serve({
    "GET /proxypanel/connections": pageOf(),
    "GET /proxypanel/scopes": { body: { items: scopes } },
    ...more,
  });
  const onClose = vi.fn();
  await renderApp(<ConnectionDialog connection={connection} onClose={onClose} />, { queries: panel.queries });
  const dialog = within(await screen.findByRole("dialog"));
  const press = (name: string) => userEvent.click(dialog.getByRole("button", { name }));
  const type = (label: string, text: string) => userEvent.type(dialog.getByLabelText(label), text);
  const bodies = () => panel.written().map(({ body }) => body);
  return { ...panel, dialog, press, type, bodies, onClose };
}

const fill = async ({ type }: Awaited<ReturnType<typeof open>>) => {
  await type("Label", "Main");
  await type("Address", "https://panel.example.com");
  await type("API token", "a.b.c");
};

describe("connecting", () => {
  it("goes to the first field that is missing, and sends nothing", async () => {
    const form = await open(undefined);
    await form.press("Connect a panel");
    expect(form.dialog.getByText("Enter a label")).toBeInTheDocument();
    expect(form.dialog.getByText("Enter the API token")).toBeInTheDocument();
    await waitFor(() => expect(form.dialog.getByLabelText("Label")).toHaveFocus());
    expect(form.bodies()).toEqual([]);
  });

  it("sends what was entered, and closes", async () => {
    const form = await open(undefined, { [add]: { status: 201, body: makeConnection() } });
    await fill(form);
    await userEvent.click(form.dialog.getByLabelText(/^Direct mode/));
    await form.press("Connect a panel");
    await waitFor(() => expect(form.onClose).toHaveBeenCalled());
    expect(form.bodies()).toEqual([
      { label: "Main", base_url: "https://panel.example.com", token: "a.b.c", direct: true },
    ]);
  });

  it("takes headers in rows, and a certificate with its key from two files", async () => {
    const form = await open(undefined, { [add]: { status: 201, body: makeConnection() } });
    await fill(form);
    await form.press("Add a header");
    await form.press("Add a header");
    await form.type("Name of header 1", "X-Gate");
    await form.type("Value of header 1", "sesame");
    await form.press("Remove header 2");
    const pem = (what: string) => `-----BEGIN ${what}-----\nMII\n-----END ${what}-----`;
    const files = ["CERTIFICATE", "PRIVATE KEY"].map((what) => new File([`${pem(what)}\n`], `${what}.pem`));
    const [, pair] = document.querySelectorAll<HTMLInputElement>("input[type=file]");
    await userEvent.upload(pair!, files);
    await waitFor(() =>
      expect(form.dialog.getByLabelText("Client certificate", { selector: "textarea" })).not.toHaveValue(""),
    );
    await form.press("Connect a panel");
    await waitFor(() => expect(form.bodies()).toHaveLength(1));
    expect(form.bodies()[0]).toMatchObject({
      extra_headers: { "X-Gate": "sesame" },
      client_certificate: `${pem("CERTIFICATE")}\n${pem("PRIVATE KEY")}`,
    });
  });

  it("puts refusals at their fields, in the language of the page", async () => {
    const errors = [
      { field: "token", code: "invalid_value", message: "cannot be read: it seems to be cut off" },
      { field: "cookie", code: "invalid_value", message: "must be one line" },
    ];
    const form = await open(undefined, {
      [add]: { status: 422, body: { status: 422, code: "invalid_value", errors } },
    });
    await fill(form);
    await form.press("Connect a panel");
    expect(await form.dialog.findAllByText("cannot be read: it seems to be cut off")).toHaveLength(2);
    expect(form.dialog.getByLabelText("Cookie").closest("details")).toHaveAttribute("open");
    await i18next.changeLanguage("ru");
    expect(await form.dialog.findByText(/^Это не API-токен/)).toBeInTheDocument();
    await i18next.changeLanguage("en");
  });

  it("says that the label or the panel is taken, and stays", async () => {
    const form = await open(undefined, { [add]: { status: 409, body: { status: 409, code: "panel_connected" } } });
    await fill(form);
    await form.press("Connect a panel");
    expect(await form.dialog.findByText("This proxy panel is connected already.")).toBeInTheDocument();
    expect(form.onClose).not.toHaveBeenCalled();
  });

  it("names the scopes that the token needs", async () => {
    const form = await open(undefined);
    expect(await form.dialog.findByText("users:disable")).toBeInTheDocument();
    expect(form.dialog.getByText("To act against misuse")).toBeInTheDocument();
  });

  it("asks before typed text is dropped", async () => {
    const form = await open(undefined);
    await form.press("Cancel");
    expect(form.onClose).toHaveBeenCalledTimes(1);
    await form.type("Label", "Main");
    await form.press("Cancel");
    expect(form.onClose).toHaveBeenCalledTimes(1);
  });
});

describe("changing", () => {
  const stored = makeConnection({ has_extra_headers: true, has_cookie: true });
  const group = (form: Awaited<ReturnType<typeof open>>, name: string) =>
    within(form.dialog.getByRole("group", { name }));

  it("never shows what is stored, and keeps it while only the label changes", async () => {
    const form = await open(stored, { [change]: { body: stored } });
    expect(group(form, "API token").getByText("Is set. It is never shown.")).toBeInTheDocument();
    expect(group(form, "API token").queryByRole("button", { name: "Remove" })).not.toBeInTheDocument();
    await form.type("Label", "2");
    await form.press("Save");
    await waitFor(() => expect(form.bodies()).toEqual([{ revision: 3, label: "Main2" }]));
  });

  it("sends nothing where nothing was changed", async () => {
    const form = await open(stored);
    await form.press("Save");
    expect(form.onClose).toHaveBeenCalled();
    expect(form.bodies()).toEqual([]);
  });

  it("replaces the token, takes the headers away, and leaves the cookie", async () => {
    const form = await open(stored, { [change]: { body: stored } });
    await userEvent.click(group(form, "API token").getByRole("button", { name: "Replace" }));
    await form.type("API token", "d.e.f");
    await userEvent.click(group(form, "Extra headers").getByRole("button", { name: "Remove" }));
    expect(group(form, "Extra headers").getByText("Will be removed when you save")).toBeInTheDocument();
    await userEvent.click(group(form, "Cookie").getByRole("button", { name: "Remove" }));
    await userEvent.click(group(form, "Cookie").getByRole("button", { name: "Keep what is set" }));
    await form.press("Save");
    await waitFor(() => expect(form.bodies()).toEqual([{ revision: 3, token: "d.e.f", extra_headers: {} }]));
  });

  it("asks for a new value, or to keep the old one", async () => {
    const form = await open(stored);
    await userEvent.click(group(form, "Cookie").getByRole("button", { name: "Replace" }));
    await form.press("Save");
    expect(form.dialog.getByText("Enter a value, or keep what is set")).toBeInTheDocument();
    await form.press("Keep what is set");
    await form.press("Save");
    expect(form.bodies()).toEqual([]);
    expect(form.onClose).toHaveBeenCalled();
  });

  it("says that somebody else was faster", async () => {
    const form = await open(stored, { [change]: { status: 409, body: { status: 409, code: "revision_conflict" } } });
    await form.type("Label", "2");
    await form.press("Save");
    expect(await form.dialog.findByText(/^Somebody else changed this/)).toBeInTheDocument();
  });
});
