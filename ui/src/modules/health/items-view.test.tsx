import { screen, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { renderApp } from "@/testing/render-app";
import type { Item } from "./api";
import { ItemsView } from "./items-view";

const item: Item = {
  id: "01890000-0000-7000-8000-000000000009",
  name: "first",
  comment: "of many",
  seen_at: null,
  created_at: "2026-03-10T15:02:00Z",
  updated_at: "2026-03-10T15:02:00Z",
  revision: 3,
};

function draw(change: Partial<Parameters<typeof ItemsView>[0]> = {}) {
  const acts = { onEdit: vi.fn(), onRemove: vi.fn(), sorting: { value: "name", onChange: vi.fn() } };
  const view = (
    <ItemsView
      state={{ kind: "ready", data: { items: [item], total: 1 } }}
      more={undefined}
      block={undefined}
      {...acts}
      {...change}
    />
  );
  return renderApp(view).then(() => acts);
}

describe("the list of items", () => {
  it("shows each item, and that nobody has looked at it", async () => {
    await draw();
    const row = within((await screen.findByText("first")).closest("tr")!);
    expect(row.getByText("of many")).toBeInTheDocument();
    expect(row.getByText("never")).toBeInTheDocument();
  });

  it("is sorted by the panel", async () => {
    const { sorting } = await draw();
    await user.click(await screen.findByRole("button", { name: "Name" }));
    expect(sorting.onChange).toHaveBeenCalledWith("-name");
  });

  it("offers to change and to remove a row", async () => {
    const { onEdit, onRemove } = await draw();
    await user.click(await screen.findByRole("button", { name: "Actions for first" }));
    await user.click(await screen.findByRole("menuitem", { name: "Change…" }));
    expect(onEdit).toHaveBeenCalledWith(item);
    await user.click(screen.getByRole("button", { name: "Actions for first" }));
    await user.click(await screen.findByRole("menuitem", { name: "Remove…" }));
    expect(onRemove).toHaveBeenCalledWith(item);
  });

  it("closes both where nothing may be changed", async () => {
    await draw({ block: "The panel is read-only" });
    await user.click(await screen.findByRole("button", { name: "Actions for first" }));
    expect(await screen.findByRole("menuitem", { name: "Change…" })).toBeDisabled();
    expect(screen.getByRole("menuitem", { name: "Remove…" })).toBeDisabled();
  });

  it("says what items are while there is none", async () => {
    await draw({ state: { kind: "ready", data: { items: [], total: 0 } } });
    expect(await screen.findByText("No items yet")).toBeInTheDocument();
  });

  it("retries after a failure", async () => {
    const retry = vi.fn();
    await draw({ state: { kind: "error", error: new Problem({ status: 503, code: "unavailable" }), retry } });
    await user.click(await screen.findByRole("button", { name: "Retry" }));
    expect(retry).toHaveBeenCalledOnce();
  });
});
