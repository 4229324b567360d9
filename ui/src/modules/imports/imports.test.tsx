import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { serveUnder, type Reply } from "@/testing/serve";
import { mostBytes, type Entry, type Import } from "./api";
import ImportPage from "./import-page";
import ImportsSetupStep from "./imports-setup-step";

const serve = serveUnder("/api/v1");

const entry = (key: string, change: Partial<Entry> = {}): Entry => ({
  key,
  name: key,
  protocol: "vless",
  transport: "raw",
  security: "reality",
  port: "443",
  domain: "",
  clients: 2,
  rules: 0,
  subscriptions: 0,
  off: false,
  whole: false,
  problems: [],
  ...change,
});

const understood = (change: Partial<Import> = {}): Import => ({
  id: "i-1",
  format: "xray",
  clients: 2,
  created_at: "2026-03-11T12:00:00Z",
  expires_at: "2026-03-11T13:00:00Z",
  entries: [entry("office"), entry("spare", { off: true })],
  findings: [
    { entry: "tunnel", path: "inbounds[1]", what: "dokodemo-door", code: "protocol_not_supported", reason: "no" },
    { entry: "", path: "", what: "", code: "of_a_newer_panel", reason: "Words of the panel itself" },
  ],
  flows: [],
  ...change,
});

async function open(replies: Record<string, Reply | Reply[]>, permissions?: string[]) {
  const panel = serve({ "GET /nodes": { body: { items: [], next_cursor: null, total: 0 } }, ...replies }, permissions);
  const page = await renderApp(<ImportPage />, { path: "/flows/import", queries: panel.queries });
  return { ...page, ...panel };
}

/** Pastes a document and has it read. */
async function read() {
  await userEvent.click(await screen.findByText("Text"));
  await userEvent.type(screen.getByRole("textbox", { name: "Text" }), "{{}");
  await userEvent.click(screen.getByRole("button", { name: "Read" }));
}

it("asks nothing of the panel before there is something to read, and says what is missing", async () => {
  const { written } = await open({});
  await userEvent.click(await screen.findByRole("button", { name: "Read" }));
  expect(screen.getByText("Choose a file first")).toBeInTheDocument();
  await userEvent.click(screen.getByText("Address of 3x-ui"));
  await userEvent.type(screen.getByRole("textbox", { name: "Address of 3x-ui" }), "https://203.0.113.7:2053/");
  await userEvent.click(screen.getByRole("button", { name: "Read" }));
  expect(screen.getByText("Give a token, or a username and a password")).toBeInTheDocument();
  expect(written()).toEqual([]);
});

it("names the command for a file that is too large, and sends none of it", async () => {
  const { written } = await open({});
  const file = new File(["x"], "x-ui.db");
  Object.defineProperty(file, "size", { value: mostBytes + 1 });
  const input = (await screen.findByRole("button", { name: "File" }))
    .closest("form")!
    .querySelector("input[type=file]")!;
  await userEvent.upload(input as HTMLInputElement, file);
  expect(await screen.findByText(/panelctl flows import FILE/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Read" }));
  expect(written()).toEqual([]);
});

it("shows what was understood, what was not and why, and makes drafts of the chosen entries alone", async () => {
  const made = { flows: [{ id: "f-1", key: "office", name: "Office", clients: 2 }] };
  const { written, address } = await open({
    "POST /flow-imports": { body: understood() },
    "POST /flow-imports/i-1/flows": { body: made },
  });
  await read();
  const entries = within(await screen.findByRole("list", { name: "Entries" }));
  expect(entries.getByRole("checkbox", { name: "Take office" })).toBeChecked();
  expect(entries.getByRole("checkbox", { name: "Take spare" })).not.toBeChecked();
  expect(screen.getByText("Flows do not speak this protocol")).toBeInTheDocument();
  expect(screen.getByText("Words of the panel itself")).toBeInTheDocument();
  const name = entries.getByRole("textbox", { name: "Name of the flow of office" });
  await userEvent.clear(name);
  await userEvent.type(name, "Office");
  await userEvent.click(screen.getByRole("button", { name: "Create 1 draft" }));
  await waitFor(() => expect(address()).toBe("/flows/f-1"));
  expect(written().at(-1)!.body).toEqual({ entries: [{ key: "office", name: "Office" }] });
});

it("says how many keep their subscription and where it is answered, and nothing of it where nobody has one", async () => {
  const entries = [entry("office", { subscriptions: 2 }), entry("spare")];
  await open({ "POST /flow-imports": [{ body: understood() }, { body: understood({ entries }) }] });
  await read();
  await screen.findByRole("list", { name: "Entries" });
  expect(screen.queryByText(/subscription/i)).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Another source" }));
  await read();
  expect(await screen.findByText("2 keep their subscription URLs")).toBeInTheDocument();
  expect(screen.getAllByText(/subscription URL/)).toHaveLength(1);
  expect(screen.getByText(/it answers them at \/sub\/…/)).toBeInTheDocument();
});

it("keeps what was typed when the panel cannot read it", async () => {
  await open({ "POST /flow-imports": { status: 422, body: { status: 422, code: "invalid_value", detail: "no" } } });
  await read();
  expect(await screen.findByRole("alert")).toBeInTheDocument();
  expect(screen.getByRole("textbox", { name: "Text" })).toHaveValue("{}");
});

it("says so where nothing can become a flow, with the way back to another source", async () => {
  await open({ "POST /flow-imports": { body: understood({ entries: [] }) } });
  await read();
  expect(await screen.findByText(/Nothing in it can become a flow/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Another source" }));
  expect(await screen.findByRole("button", { name: "Read" })).toBeInTheDocument();
});

it("is closed to somebody who may not edit flows", async () => {
  const { written } = await open({}, ["connection_units.view"]);
  const act = await screen.findByRole("button", { name: "Read" });
  expect(act).toHaveAttribute("aria-disabled", "true");
  await userEvent.click(act);
  expect(written()).toEqual([]);
});

it("is a step of the wizard that can wait, and says how many drafts it made", async () => {
  const panel = serve({
    "GET /nodes": { body: { items: [], next_cursor: null, total: 0 } },
    "POST /flow-imports": { body: understood() },
    "POST /flow-imports/i-1/flows": { body: { flows: [{ id: "f-1", key: "office", name: "office", clients: 2 }] } },
  });
  const done = vi.fn();
  await renderApp(<ImportsSetupStep onDone={done} onBack={undefined} readOnly={false} />, { queries: panel.queries });
  await userEvent.click(await screen.findByRole("button", { name: "Skip" }));
  expect(done).toHaveBeenLastCalledWith("later", true);
  await read();
  await userEvent.click(await screen.findByRole("button", { name: "Create 1 draft" }));
  expect(await screen.findByRole("link", { name: "office" })).toHaveAttribute("href", "/flows/f-1");
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  expect(done).toHaveBeenLastCalledWith("1 draft was made");
});
