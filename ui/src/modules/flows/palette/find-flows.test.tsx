import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../testing/fake-panel";
import { fakeFlow, type FakeFlow } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";
import { findFlows } from "./find-flows";

async function find(flow: FakeFlow) {
  const panel = serveFake(fakeState({ flows: [flow] }));
  await renderApp(null, { queries: panel.queries });
  const [hit] = await findFlows("europe", new AbortController().signal);
  const run = (act: string) => hit!.runs!.find((one) => one.act === act);
  return { ...panel, hit: hit!, run };
}

describe("flows in the palette", () => {
  afterEach(() => changeLanguage("en"));

  it("offer to stop what serves, with whom it cuts off, and only the dialog does it", async () => {
    const { run, written, queries } = await find(fakeFlow());
    expect(run("start")).toBeUndefined();
    expect(run("stop")!.detail).toMatch(/^\d+ clients? loses? (its|their) connection$/);
    expect(run("stop")!.reason).toBeUndefined();
    await renderApp(
      run("stop")!.draw(() => undefined),
      { queries },
    );
    const dialog = within(await screen.findByRole("dialog", { name: "Stop serving Europe main?" }));
    expect(dialog.getByText(/Start serving puts the installed version back/)).toBeInTheDocument();
    expect(written()).toEqual([]);
    const act = dialog.getByRole("button", { name: "Stop serving" });
    await waitFor(() => expect(act).not.toHaveAttribute("aria-disabled", "true"));
    await userEvent.click(act);
    await waitFor(() =>
      expect(written().map(({ path }) => path)).toEqual(["/api/v1/connection-units/f-europe/disable"]),
    );
  });

  it("are found by the name of a node of theirs, each once", async () => {
    const here = { node_ids: ["n-msk"] };
    const flows = [
      fakeFlow({ id: "1", name: "Office", ...here }),
      fakeFlow({ id: "2", name: "msk-01 reserve", ...here }),
    ];
    serveFake(fakeState({ flows: [...flows, fakeFlow({ id: "3", name: "Asia", node_ids: [] })] }));
    await renderApp(null);
    const hits = await findFlows("msk-01", new AbortController().signal);
    expect(hits.map(({ name, detail }) => [name, detail])).toEqual([
      ["msk-01 reserve", flows[1]!.entry?.host],
      ["Office", "on msk-01"],
    ]);
    expect(hits[1]!.runs, "whoever typed the name of a node means the node").toEqual([]);
  });

  it("offer to start what was stopped, nothing of what was never installed, and say why not now", async () => {
    expect((await find(fakeFlow({ enabled: false }))).run("start")!.detail).toMatch(/^v17 serves \d+ clients? again$/);
    expect((await find(fakeFlow({ installed_revision: null }))).hit.runs!.map(({ act }) => act)).toEqual(["compile"]);
    expect((await find(fakeFlow({ state: "applying" }))).run("stop")!.reason).toBe("is being applied now");
    await changeLanguage("ru");
    serveFake(fakeState({ flows: [fakeFlow({ enabled: false })] }));
    const [stopped] = await findFlows("europe", new AbortController().signal);
    expect(stopped!.runs!.at(-1)!.detail).toMatch(/^v17 снова обслуживает/);
  });
});
