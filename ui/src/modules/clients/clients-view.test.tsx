import { screen, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { renderApp } from "@/testing/render-app";
import { ClientsView } from "./clients-view";
import { client } from "./testing";

function draw(change: Partial<Parameters<typeof ClientsView>[0]> = {}) {
  const acts = {
    onAdd: vi.fn(),
    onEdit: vi.fn(),
    onTurn: vi.fn(),
    onReset: vi.fn(),
    onRevoke: vi.fn(),
    sorting: { value: "label", onChange: vi.fn() },
  };
  const view = (
    <ClientsView
      state={{ kind: "ready", data: { items: [client], total: 1 } }}
      onClear={undefined}
      more={undefined}
      block={undefined}
      {...acts}
      {...change}
    />
  );
  return renderApp(view).then(() => acts);
}

const only = (change: Partial<typeof client>) => ({
  kind: "ready" as const,
  data: { items: [{ ...client, ...change }], total: 1 },
});

describe("the list of clients", () => {
  it("shows what each may use, and which of its flows waits for an apply", async () => {
    await draw();
    const row = within((await screen.findByText("Anna")).closest("tr")!);
    expect(row.getByText("Active")).toBeInTheDocument();
    expect(row.getByTitle(/^Europe main\s+Asia main \(waits for an apply\)$/)).toBeInTheDocument();
    expect(row.getAllByRole("img", { name: "not let in yet" })).toHaveLength(1);
    expect(screen.getByText(/^The nodes of the flow do not let/)).toBeInTheDocument();
  });

  it("has nothing wait for an apply that would not let it in", async () => {
    await draw({ state: only({ enabled: false, state: "disabled" }) });
    expect(await screen.findByText("Disabled")).toBeInTheDocument();
    expect(screen.queryByRole("img", { name: "not let in yet" })).not.toBeInTheDocument();
    expect(screen.queryByText(/^The nodes of the flow do not let/)).not.toBeInTheDocument();
  });

  it("shows what each has carried, and of how much", async () => {
    await draw({ state: only({ quota: { bytes: 10_485_760, reset: "monthly" }, state: "spent" }) });
    expect(await screen.findByText("3.00 MB of 10.0 MB")).toBeInTheDocument();
    expect(screen.getByText("Quota used up")).toBeInTheDocument();
  });

  it("is sorted by the panel", async () => {
    const { sorting } = await draw();
    await user.click(await screen.findByRole("button", { name: "Name" }));
    expect(sorting.onChange).toHaveBeenCalledWith("-label");
  });

  it("offers to change, to switch off and to revoke a client", async () => {
    const { onEdit, onTurn, onReset, onRevoke } = await draw();
    for (const [act, done] of [
      ["Change…", onEdit],
      ["Disable", onTurn],
      ["Reset traffic", onReset],
      ["Revoke…", onRevoke],
    ] as const) {
      await user.click(await screen.findByRole("button", { name: "Actions for Anna" }));
      await user.click(await screen.findByRole("menuitem", { name: act }));
      expect(done).toHaveBeenCalledWith(client);
    }
  });

  it("offers to switch on one that is off, and nothing for one that was revoked", async () => {
    await draw({ state: only({ enabled: false, state: "disabled" }) });
    await user.click(await screen.findByRole("button", { name: "Actions for Anna" }));
    expect(await screen.findByRole("menuitem", { name: "Enable" })).toBeInTheDocument();
  });

  it("has no acts for a revoked client", async () => {
    await draw({ state: only({ state: "revoked", flows: [] }) });
    expect(await screen.findByText("Revoked")).toBeInTheDocument();
    expect(screen.getByText("no flow")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Actions for Anna" })).not.toBeInTheDocument();
  });

  it("closes every act where nothing may be changed", async () => {
    await draw({ block: "The panel is read-only" });
    await user.click(await screen.findByRole("button", { name: "Actions for Anna" }));
    expect(await screen.findByRole("menuitem", { name: "Change…" })).toBeDisabled();
    expect(screen.getByRole("menuitem", { name: "Revoke…" })).toBeDisabled();
  });

  it("says what clients are while there is none, and offers to add one", async () => {
    const none = { kind: "ready" as const, data: { items: [], total: 0 } };
    const { onAdd } = await draw({ state: none });
    expect(await screen.findByText("No clients yet")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Add client" }));
    expect(onAdd).toHaveBeenCalledOnce();
  });

  it("says that none matches, and takes the filters off", async () => {
    const onClear = vi.fn();
    await draw({ state: { kind: "ready", data: { items: [], total: 0 } }, onClear });
    expect(await screen.findByText("No client matches")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    expect(onClear).toHaveBeenCalledOnce();
  });

  it("retries after a failure", async () => {
    const retry = vi.fn();
    await draw({ state: { kind: "error", error: new Problem({ status: 503, code: "unavailable" }), retry } });
    await user.click(await screen.findByRole("button", { name: "Retry" }));
    expect(retry).toHaveBeenCalledOnce();
  });
});
