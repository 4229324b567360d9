import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../testing/fake-panel";
import { fakeBulk, fakeFlow, fakePlan } from "../testing/samples";
import { serveFake } from "../testing/serve-fake";
import BulkPage from "./bulk-page";

const flows = [fakeFlow({ id: "1", name: "Asia pair" }), fakeFlow({ id: "2", name: "Lab" })];
const ready = fakePlan({ readiness: [], obstacles: [], checking: false });

async function open(path: string, change: Parameters<typeof fakeState>[0] = {}) {
  const panel = serveFake(fakeState({ flows, plan: ready, ...change }));
  const page = await renderApp(<BulkPage />, { path, route: "/flows/bulk", queries: panel.queries });
  return { ...page, ...panel };
}

const rowOf = async (name: string) => within((await screen.findByRole("link", { name })).closest("tr")!);

describe("applying flows together", () => {
  it("compiles each draft, applies those that are ready, and names what keeps back the others", async () => {
    const refused = { status: 422, body: { code: "compile_failed", detail: "correct what errors names" } };
    const { written, address } = await open("/flows/bulk?flows=1,2", {
      refusals: { "POST /api/v1/connection-units/2/plan/compile": [refused] },
    });
    expect((await rowOf("Lab")).getByText("Cannot be compiled")).toBeInTheDocument();
    expect((await rowOf("Asia pair")).getByText("Ready")).toBeInTheDocument();
    expect((await rowOf("Asia pair")).getByRole("link", { name: "Open plan" })).toHaveAttribute(
      "href",
      `/flows/1/plans/${ready.id}`,
    );
    await userEvent.click(screen.getByRole("button", { name: "Apply 1 flow" }));
    await waitFor(() => expect(address()).toContain("run=b-1"));
    const begun = written().at(-1)!;
    expect(begun.path).toBe("/api/v1/connection-units/bulk/apply");
    expect(begun.body).toEqual({
      items: [{ flow_id: "1", id: ready.id, revision: ready.revision }],
      stop_on_failure: true,
    });
    expect(await screen.findByRole("heading", { name: "Applying 1 flow" })).toBeInTheDocument();
  });

  it("offers no way around open checks: such a plan is left out", async () => {
    const check = { key: "port:443", group: "ports", status: "unconfirmed", forceable: true };
    const plan = fakePlan({
      obstacles: [],
      checking: false,
      readiness: fakePlan().readiness.map((one) => ({ ...one, ...check, status: "unconfirmed" as const })) as never,
    });
    await open("/flows/bulk?flows=1", { plan });
    expect((await rowOf("Asia pair")).getByText("Checks are open")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: /Apply 0 flows/ })).toHaveAttribute("aria-disabled", "true");
  });

  it("compiles nothing for somebody who may not", async () => {
    const { written } = await open("/flows/bulk?flows=1", { permissions: ["connection_units.view"] });
    await screen.findByRole("heading", { name: "Apply 1 flow" });
    expect(written()).toEqual([]);
  });
});

describe("a bulk apply", () => {
  const bulk = fakeBulk(flows, {});

  it("shows how each flow stands and why one was refused", async () => {
    const [first, second] = bulk.items as [(typeof bulk.items)[0], (typeof bulk.items)[0]];
    await open("/flows/bulk?run=b-1", {
      bulk: {
        ...bulk,
        finished_at: bulk.started_at,
        items: [
          { ...first, state: "applied" },
          { ...second, state: "refused", code: "agent_offline", error: "the agent does not answer: ams-1" },
        ],
      },
    });
    expect(await screen.findByText("1 of 2 applied")).toBeInTheDocument();
    expect((await rowOf("Asia pair")).getByRole("link", { name: "Open apply" })).toHaveAttribute(
      "href",
      "/flows/1/applies/a-1",
    );
    const lab = await rowOf("Lab");
    expect(lab.getByText("Refused")).toBeInTheDocument();
    expect(lab.getByText(/The agent is not connected/)).toHaveAttribute("title", "the agent does not answer: ams-1");
    expect(screen.queryByRole("button", { name: "Start no more flows" })).not.toBeInTheDocument();
  });

  it("is stopped by its operation, as long as a flow waits", async () => {
    const { written } = await open("/flows/bulk?run=b-1", { bulk });
    await userEvent.click(await screen.findByRole("button", { name: "Start no more flows" }));
    await waitFor(() => expect(written().map(({ path }) => path)).toEqual(["/api/v1/operations/o-1/cancel"]));
  });
});
