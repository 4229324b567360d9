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
    onAddress: vi.fn(),
    onAct: vi.fn(),
    sorting: { value: "label", onChange: vi.fn() },
  };
  const view = (
    <ClientsView
      state={{ kind: "ready", data: { items: [client], total: 1 } }}
      onClear={undefined}
      more={undefined}
      block={undefined}
      own={{ look: { columns: {}, density: "comfortable" }, change: vi.fn() }}
      chosen={nobody}
      {...acts}
      {...change}
    />
  );
  return renderApp(view).then(() => acts);
}

const nobody = {
  clients: [],
  selection: { ids: new Set<string>(), onChange: vi.fn() },
  every: { total: 1, chosen: false, busy: false, choose: vi.fn() },
  clear: vi.fn(),
};

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

  it("says of a time that has not begun how long it is", async () => {
    await draw({ state: only({ lasts_days: 30 }) });
    expect(await screen.findByText("30 d, not begun")).toHaveAttribute("title", "30 days from its first use");
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

  it("offers what can be done with a client, each act by its dialog", async () => {
    const { onEdit, onAddress, onAct } = await draw();
    const choose = async (act: string) => {
      await user.click(await screen.findByRole("button", { name: "Actions for Anna" }));
      await user.click(await screen.findByRole("menuitem", { name: act }));
    };
    await choose("Change…");
    expect(onEdit).toHaveBeenCalledWith(client);
    await choose("Create a URL…");
    expect(onAddress).toHaveBeenCalledWith(client);
    await choose("Disable…");
    await choose("Reset traffic…");
    await choose("Revoke…");
    expect(onAct.mock.calls).toEqual([
      ["disable", [client]],
      ["reset_traffic", [client]],
      ["revoke", [client]],
    ]);
  });

  it("offers to switch on one that is off", async () => {
    await draw({ state: only({ enabled: false, state: "disabled" }) });
    await user.click(await screen.findByRole("button", { name: "Actions for Anna" }));
    expect(await screen.findByRole("menuitem", { name: "Enable…" })).toBeInTheDocument();
  });

  it("leads to the page of the client", async () => {
    await draw({ state: only({ online: true }) });
    expect(await screen.findByRole("link", { name: "Anna" })).toHaveAttribute("href", `/clients/${client.id}`);
    expect(screen.getByText("online")).toBeInTheDocument();
  });

  it("acts on the selected ones, and tells those of the page apart from all that match", async () => {
    const choose = vi.fn();
    const chosen = {
      ...nobody,
      clients: [client],
      selection: { ids: new Set([client.id]), onChange: vi.fn() },
      every: { total: 50_000, chosen: false, busy: false, choose },
    };
    const { onAct } = await draw({ chosen });
    const bar = within(await screen.findByRole("region", { name: "Selection" }));
    await user.click(bar.getByRole("button", { name: "Extend…" }));
    expect(onAct).toHaveBeenCalledWith("extend", [client]);
    await user.click(bar.getByRole("button", { name: /50,000/ }));
    expect(choose).toHaveBeenCalledOnce();
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
