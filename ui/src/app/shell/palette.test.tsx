import { QueryClient } from "@tanstack/react-query";
import { act, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { IconRefresh } from "@tabler/icons-react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { licenseQuery, meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { Modules } from "@/components/slots/contributions";
import { ActDialog } from "@/components/dialog/act-dialog";
import type { PaletteHit, UiModule } from "@/module";
import { makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { Palette } from "./palette";
import type { TypedAhead } from "./typed-ahead";

const ran = vi.fn((name: string) => Promise.resolve([{ id: name, name, ok: true, text: "" }]));

const server = (name: string, reason?: string): PaletteHit => ({
  id: name,
  group: "Nodes",
  name,
  path: `/nodes/${name}`,
  runs: [
    {
      act: "restart_core",
      detail: "562 connections",
      reason,
      draw: (onClose) => (
        <ActDialog
          onClose={onClose}
          title={`Restart ${name}?`}
          effects={[{ key: "1", glyph: "down", name: "Europe main", text: "loses 1 of 3 exits" }]}
          undo="It comes back by itself."
          verb="Restart core"
          run={() => ran(name)}
        >
          Open connections break.
        </ActDialog>
      ),
    },
  ],
});

const fleet = [server("fra-01"), server("fra-02"), server("ams-01", "its agent is not connected")];
const find = vi.fn(async (text: string) => fleet.filter((node) => node.name.includes(text)));
const module: UiModule = {
  name: "nodes",
  search: { needs: ["nodes.view"], find },
  acts: [
    {
      key: "restart_core",
      label: { en: "Restart core", ru: "Перезапустить ядро" },
      icon: IconRefresh,
      verbs: ["restart", "перезапустить"],
      needs: ["nodes.edit"],
    },
  ],
};

async function open(
  permissions = ["*"],
  readOnly = false,
  typedAhead?: () => TypedAhead | undefined,
  modules = [module],
) {
  act(() => beginSession("ps_test"));
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  queries.setQueryData(meQuery.queryKey, makeMe(permissions));
  queries.setQueryData(licenseQuery.queryKey, { read_only: readOnly, features: { blocked: [] } } as never);
  await renderApp(
    <Modules value={modules}>
      <Palette opened onClose={() => undefined} typedAhead={typedAhead} />
    </Modules>,
    { queries },
  );
  return screen.findByRole("combobox");
}

const options = () => screen.getAllByRole("option").map((row) => row.textContent);

describe("the palette", () => {
  beforeEach(() => void ran.mockClear());

  it("runs an act on what is named after its verb, only once its dialog is confirmed", async () => {
    await userEvent.type(await open(), "restart fra-02");
    expect(await screen.findByRole("option", { name: /fra-02 562 connections/ })).toBeInTheDocument();
    await userEvent.keyboard("{Enter}");
    const dialog = within(await screen.findByRole("dialog", { name: "Restart fra-02?" }));
    expect(dialog.getByText("loses 1 of 3 exits", { exact: false })).toBeInTheDocument();
    expect(ran).not.toHaveBeenCalled();
    await userEvent.click(dialog.getByRole("button", { name: "Restart core" }));
    expect(ran).toHaveBeenCalledWith("fra-02");
  });

  it("opens what Enter was pressed for, not what was found for the letters before", async () => {
    const field = await open();
    await userEvent.type(field, "restart fra-01");
    await screen.findByRole("option", { name: /fra-01/ });
    await userEvent.type(field, "{Backspace}2{Enter}");
    expect(await screen.findByRole("dialog", { name: "Restart fra-02?" })).toBeInTheDocument();
  });

  it("goes on from what was typed before its field had the focus, Enter included", async () => {
    let typed: TypedAhead | undefined = { text: "restart fra-02", entered: true };
    const field = await open(["*"], false, () => {
      const given = typed;
      typed = undefined;
      return given;
    });
    await act(async () => field.focus());
    expect(field).toHaveValue("restart fra-02");
    expect(await screen.findByRole("dialog", { name: "Restart fra-02?" })).toBeInTheDocument();
  });

  it("offers acts on the first thing found, which Tab reaches", async () => {
    const field = await open();
    await userEvent.type(field, "fra-01");
    await screen.findByRole("option", { name: /Restart core… 562 connections/ });
    await userEvent.keyboard("{Tab}{Enter}");
    expect(await screen.findByRole("dialog", { name: "Restart fra-01?" })).toBeInTheDocument();
  });

  it("begins with what is called as it was typed, whichever module found more", async () => {
    const office = { id: "f-1", group: "Flows", name: "Office", detail: "on fra-01", path: "/flows/f-1" };
    const flows: UiModule = { name: "office", search: { find: () => Promise.resolve([office]) } };
    await userEvent.type(await open(["*"], false, undefined, [flows, module]), "fra-01");
    await screen.findByRole("option", { name: /Restart core… 562 connections/ });
    const names = options();
    expect(names.findIndex((name) => name!.includes("Office"))).toBeGreaterThan(
      names.findIndex((name) => name!.startsWith("Restart core")),
    );
  });

  it("completes an act that was chosen without a name", async () => {
    const field = await open();
    await userEvent.click(screen.getByRole("option", { name: /Restart core…/ }));
    expect(field).toHaveValue("restart ");
    expect(await screen.findByText("Type a name, two letters at least")).toBeInTheDocument();
  });

  it("says what an act is for where nothing of the name can take it", async () => {
    const field = await open(["*"], false, undefined, [
      { ...module, acts: module.acts!.map((one) => ({ ...one, none: { en: "No core is called so.", ru: "" } })) },
    ]);
    await userEvent.type(field, "restart nobody");
    expect(await screen.findByText("No core is called so.")).toBeInTheDocument();
    await userEvent.clear(field);
    await userEvent.type(field, "nobody");
    expect(await screen.findByText("Nothing found")).toBeInTheDocument();
  });

  it("shows a closed act with its reason and does not open it", async () => {
    await userEvent.type(await open(), "restart ams");
    const row = await screen.findByRole("option", { name: /its agent is not connected/ });
    expect(row).toHaveAttribute("aria-disabled", "true");
    await userEvent.keyboard("{Enter}");
    expect(screen.queryByRole("dialog", { name: /Restart/ })).not.toBeInTheDocument();
  });

  it("says why nothing can be run without a license", async () => {
    await userEvent.type(await open(["*"], true), "restart fra-01");
    expect(
      await screen.findByRole("option", { name: /Changes are off until a license is active/ }),
    ).toBeInTheDocument();
  });

  it("keeps acts from who may not run them", async () => {
    const field = await open(["nodes.view"]);
    await userEvent.type(field, "fra-01");
    await screen.findByRole("option", { name: /fra-01/ });
    expect(options().join()).not.toMatch(/Restart/);
  });
});
