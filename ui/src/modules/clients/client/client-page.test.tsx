import { screen, waitFor, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { renderApp } from "@/testing/render-app";
import { AddressDialog, CloseAddressDialog } from "../address-dialog";
import type { Client } from "../api";
import { answers, client } from "../testing";
import { ClientView } from "./client-view";

const days = Array.from({ length: 30 }, (_, at) => ({
  day: `2026-03-${String(at + 1).padStart(2, "0")}`,
  up: at === 29 ? 1_048_576 : 0,
  down: at === 29 ? 3_145_728 : 0,
}));

async function draw(change: Partial<Client> = {}, block?: string, course: object[] = days) {
  vi.spyOn(api, "GET").mockResolvedValue(answers({ days: course }));
  const acts = { onEdit: vi.fn(), onAct: vi.fn(), onAddress: vi.fn(), onCloseAddress: vi.fn() };
  await renderApp(<ClientView client={{ ...client, ...change }} owner="anna" block={block} {...acts} />);
  await screen.findByRole("heading", { name: "Anna" });
  return acts;
}

describe("the page of a client", () => {
  afterEach(() => vi.restoreAllMocks());

  it("shows what it may use, and opens a link only where the nodes let it in", async () => {
    await draw({ flows: [{ ...client.flows[0]!, by_apply: false }, client.flows[1]!] });
    expect(screen.getByText("Let in")).toBeInTheDocument();
    expect(screen.getByText("Waits for an apply")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Connection link on Europe main" })).toBeEnabled();
    expect(screen.getByRole("button", { name: "Connection link on Asia main" })).toHaveAttribute(
      "aria-disabled",
      "true",
    );
  });

  it("says of a flow that a proxy panel serves that it lets nobody of ours in, and waits for nothing", async () => {
    await draw({ flows: [{ ...client.flows[1]!, elsewhere: true }] });
    expect(screen.getByText("Not let in: served by a proxy panel")).toBeInTheDocument();
    expect(screen.queryByText("Waits for an apply")).not.toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Connection link on Asia main" })).toHaveAttribute(
      "aria-disabled",
      "true",
    );
  });

  it("shows the link of one flow once it is asked for", async () => {
    await draw();
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers({ uri: "vless://secret@host:443", revision: 3 }));
    await user.click(screen.getByRole("button", { name: "Connection link on Europe main" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.queryByText("vless://secret@host:443")).not.toBeInTheDocument();
    await user.click(dialog.getByRole("button", { name: "Reveal the link" }));
    expect(await dialog.findByText("vless://secret@host:443")).toBeInTheDocument();
    expect(dialog.getByTitle("Connection link as a QR code")).toBeInTheDocument();
    expect(post).toHaveBeenCalledWith("/api/v1/connection-units/{id}/connection-link", {
      params: { path: { id: "f-europe" } },
      body: { client_id: client.id },
    });
  });

  it("takes a flow away once that is confirmed", async () => {
    await draw();
    const taken = vi.spyOn(api, "DELETE").mockResolvedValue(answers({}, 204));
    await user.click(screen.getByRole("button", { name: "Actions for Asia main" }));
    await user.click(await screen.findByRole("menuitem", { name: "Take the flow away…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Take Asia main from Anna?" }));
    await user.click(dialog.getByRole("button", { name: "Take away" }));
    await waitFor(() =>
      expect(taken).toHaveBeenCalledWith("/api/v1/clients/{id}/flows/{flow_id}", {
        params: { path: { id: client.id, flow_id: "f-asia" } },
      }),
    );
  });

  it("shows what was carried by days, in words too", async () => {
    await draw();
    expect(await screen.findByText("4.00 MB in 30 days")).toBeInTheDocument();
    expect(screen.getByRole("list", { name: "Traffic by day" }).children).toHaveLength(30);
    expect(screen.getByText(/30 Mar 2026: 3.00 MB down, 1.00 MB up$/)).toBeInTheDocument();
  });

  it("says that nothing was carried", async () => {
    await draw(
      {},
      undefined,
      days.map((day) => ({ ...day, up: 0, down: 0 })),
    );
    expect(await screen.findByText("Nothing was carried in the last 30 days.")).toBeInTheDocument();
  });

  it("shows how much of the quota is used, when it begins again, and who owns the client", async () => {
    const { onAct } = await draw({ quota: { bytes: 6_291_456, reset: "monthly" }, online: true });
    expect(screen.getByText("of 6.00 MB used")).toBeInTheDocument();
    expect(screen.getByRole("progressbar", { name: "Used part of the quota" })).toHaveAttribute("aria-valuenow", "50");
    expect(screen.getByText(/begins again on the 1st of the month/)).toBeInTheDocument();
    expect(screen.getByText("Online now")).toBeInTheDocument();
    expect(screen.getByText("anna")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Reset traffic" }));
    expect(onAct).toHaveBeenCalledWith("reset_traffic");
  });

  it("has no acts for a client that was revoked", async () => {
    await draw({ state: "revoked", flows: [], revoked_at: "2026-03-11T00:00:00Z" });
    expect(screen.getByText("It may use no flow yet.")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /Change|Disable|Create a URL|Give a flow/ })).not.toBeInTheDocument();
  });

  it("closes every act where nothing may be changed, with the reason", async () => {
    await draw({}, "The panel is read-only");
    expect(screen.getAllByText("The panel is read-only").length).toBeGreaterThan(0);
    for (const name of ["Change", "Create a URL", "Give a flow", "Connection link on Europe main"])
      expect(screen.getByRole("button", { name })).toHaveAttribute("aria-disabled", "true");
  });
});

describe("the subscription of a client", () => {
  afterEach(() => vi.restoreAllMocks());

  it("is made on request, and a new one says first that the old one stops", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers({ url: "https://panel.example/s/NEW" }, 201));
    await renderApp(<AddressDialog client={{ ...client, has_public_link: true }} onClose={vi.fn()} />);
    const dialog = within(await screen.findByRole("dialog", { name: "New subscription URL of Anna" }));
    expect(dialog.getByText(/^The URL in use stops working at once/)).toBeInTheDocument();
    expect(post).not.toHaveBeenCalled();
    await user.click(dialog.getByRole("button", { name: "Create a new URL" }));
    expect(await dialog.findByText("https://panel.example/s/NEW")).toBeInTheDocument();
    expect(dialog.getByTitle("Subscription URL as a QR code")).toBeInTheDocument();
    expect(dialog.queryByText(/stops working at once/)).not.toBeInTheDocument();
  });

  it("is taken away by the dialog of acts", async () => {
    const taken = vi.spyOn(api, "DELETE").mockResolvedValue(answers({}, 204));
    await renderApp(<CloseAddressDialog client={client} onClose={vi.fn()} />);
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(/keep the links that they have fetched/)).toBeInTheDocument();
    await user.click(dialog.getByRole("button", { name: "Take it away" }));
    expect(await dialog.findByText("The URL was taken away")).toBeInTheDocument();
    expect(taken).toHaveBeenCalledWith("/api/v1/clients/{id}/public-link", { params: { path: { id: client.id } } });
  });
});
