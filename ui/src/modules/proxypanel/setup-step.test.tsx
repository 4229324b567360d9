import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { licenseQuery } from "@/api/access";
import { makeLicense } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import ProxypanelPage from "./proxypanel-page";
import ProxypanelSetupStep from "./setup-step";
import { closedWay, makeConnection, openWay, pageOf, restart, scopes, serve, variable } from "./testing";

const route = "POST /setup/proxypanel/bootstrap";
const credentials = { username: "panel", password: "correct-horse-battery" };
const made = { status: 201, body: { connection: makeConnection({ label: "Fresh" }), ...credentials } };

const base = () => ({
  "GET /proxypanel/connections": pageOf(),
  "GET /proxypanel/scopes": { body: { items: scopes } },
  "GET /setup/state": { body: { finished: false } },
});

async function step(more: Parameters<typeof serve>[0] = {}, readOnly = false) {
  const panel = serve({ ...base(), ...more });
  if (readOnly) panel.queries.setQueryData(licenseQuery.queryKey, makeLicense({ read_only: true }));
  const [onDone, onBack] = [vi.fn(), vi.fn()];
  await renderApp(<ProxypanelSetupStep onDone={onDone} onBack={onBack} readOnly={readOnly} />, {
    queries: panel.queries,
  });
  await screen.findByRole("heading", { name: "Proxy panel" });
  return { ...panel, onDone, onBack };
}

const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

const fresh = async () => userEvent.click(await screen.findByRole("radio", { name: "It is fresh" }));

async function address() {
  await userEvent.type(await screen.findByLabelText("Label"), "Fresh");
  await userEvent.type(screen.getByLabelText("Address"), "https://fresh.example.com");
}

describe("the step of the first installation", () => {
  it("can be skipped and left", async () => {
    const { onDone, onBack, written } = await step();
    await press("Skip");
    expect(onDone).toHaveBeenCalledWith("Later", true);
    await press("Back");
    expect(onBack).toHaveBeenCalled();
    expect(written()).toEqual([]);
  });

  it("connects one that runs, and says what was found before it goes on", async () => {
    const found = makeConnection({ label: "Fresh", state: "auth", cause: "token_refused" });
    const { onDone } = await step({ "POST /proxypanel/connections": { status: 201, body: found } });
    await address();
    await userEvent.type(screen.getByLabelText("API token"), "a.b.c");
    await press("Connect a panel");
    expect(await screen.findByText("Fresh is connected")).toBeInTheDocument();
    expect(screen.getByText("The proxy panel does not accept the token.")).toBeInTheDocument();
    expect(screen.getByText(/You can change it later/)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Skip" })).not.toBeInTheDocument();
    await press("Continue");
    expect(onDone).toHaveBeenCalledWith("Fresh");
  });

  it("connects nothing without a license, and says so", async () => {
    await step({}, true);
    expect(await screen.findByRole("button", { name: "Connect a panel" })).toHaveAttribute("aria-disabled", "true");
  });
});

describe("a fresh proxy panel", () => {
  it("shows the line and the restart before anything is asked for, and looks again", async () => {
    const { written } = await step({ [route]: [closedWay, openWay] });
    await fresh();
    expect(await screen.findByText(variable)).toBeInTheDocument();
    expect(screen.getByText(restart)).toBeInTheDocument();
    expect(screen.queryByLabelText("Address")).not.toBeInTheDocument();
    await press("Check again");
    expect(await screen.findByLabelText("Address")).toBeInTheDocument();
    expect(written().map(({ body }) => body)).toEqual([
      { label: "", base_url: "" },
      { label: "", base_url: "" },
    ]);
  });

  it("asks for no token, and shows the credentials once, until they are stored", async () => {
    const { onDone, written } = await step({ [route]: [openWay, made] });
    await fresh();
    await address();
    expect(screen.queryByLabelText("API token")).not.toBeInTheDocument();
    await press("Set up and connect");
    expect(await screen.findByText(credentials.password)).toBeInTheDocument();
    expect(screen.getByText(credentials.username)).toBeInTheDocument();
    expect(screen.queryByRole("radio")).not.toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Skip" })).not.toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Continue" })).toHaveAttribute("aria-disabled", "true");
    await userEvent.click(screen.getByRole("checkbox", { name: /I have stored/ }));
    await press("Continue");
    expect(onDone).toHaveBeenCalledWith("Fresh");
    expect(written().at(-1)!.body).toEqual({ label: "Fresh", base_url: "https://fresh.example.com" });
  });

  it("keeps the form and the credentials on the screen, whatever happens elsewhere", async () => {
    const over = { status: 409, body: { status: 409, code: "setup_closed" } };
    const { queries } = await step({ [route]: [openWay, made, over] });
    await fresh();
    await address();
    await queries.refetchQueries();
    expect(screen.getByLabelText("Label")).toHaveValue("Fresh");
    await press("Set up and connect");
    expect(await screen.findByText(credentials.password)).toBeInTheDocument();
    await queries.invalidateQueries();
    expect(screen.getByText(credentials.password)).toBeInTheDocument();
  });

  it("says that it has an administrator already", async () => {
    await step({ [route]: [openWay, { status: 422, body: { status: 422, code: "already_registered" } }] });
    await fresh();
    await address();
    await press("Set up and connect");
    expect(await screen.findByText(/has an administrator already/)).toBeInTheDocument();
  });

  it("says by its cause why it cannot be set up", async () => {
    const refused = { status: 502, body: { status: 502, code: "proxypanel_error", cause: "no_reverse_proxy" } };
    await step({ [route]: [openWay, refused] });
    await fresh();
    await address();
    await press("Set up and connect");
    expect(await screen.findByText(/did not come through its reverse proxy/)).toBeInTheDocument();
    expect(screen.getByText(/turn on direct mode/)).toBeInTheDocument();
  });

  it("is over when the first installation is", async () => {
    await step({ [route]: { status: 409, body: { status: 409, code: "setup_closed" } } });
    await fresh();
    expect(await screen.findByText(/The first installation is finished/)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Check again" })).not.toBeInTheDocument();
  });

  it("says why the panel does not tell whether it may be", async () => {
    await step({
      [route]: { status: 403, body: { status: 403, code: "permission_denied", required: "settings.manage" } },
    });
    await fresh();
    expect(await screen.findByText("settings.manage")).toBeInTheDocument();
  });

  it("is offered on the page too while the installation goes on; its credentials cannot be closed away", async () => {
    const panel = serve({ ...base(), [route]: [openWay, made] });
    await renderApp(<ProxypanelPage />, { queries: panel.queries });
    await userEvent.click(await screen.findByRole("button", { name: "Set up a fresh panel" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Set up a fresh proxy panel" }));
    await dialog.findByLabelText("Label");
    await address();
    await userEvent.click(dialog.getByRole("button", { name: "Set up and connect" }));
    expect(await dialog.findByText(credentials.password)).toBeInTheDocument();
    expect(dialog.queryByRole("button", { name: /Close|Cancel/ })).not.toBeInTheDocument();
    await userEvent.keyboard("{Escape}");
    expect(dialog.getByText(credentials.password)).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("checkbox", { name: /I have stored/ }));
    await userEvent.click(dialog.getByRole("button", { name: "Done" }));
    await waitFor(() => expect(screen.queryByText(credentials.password)).not.toBeInTheDocument());
  });
});
