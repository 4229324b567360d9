import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import part from "./health-overview";
import type { Incident } from "./incidents/api";
import { makeIncident, makeSummary, pageOf, serve } from "./testing";

function Lines() {
  return part
    .useAttention()
    .map(({ id, severity, name, what, members, effect, act, count, covers = [] }) => (
      <p key={id}>
        {[severity, name, what, members, effect, act.label, covers[1] && `covers ${count}: ${covers.join(", ")}`]
          .filter(Boolean)
          .join(" | ")}
      </p>
    ));
}

async function draw(cutOff: boolean, incidents: Incident[]) {
  const { queries } = serve({
    "GET /incidents": pageOf(...incidents),
    "GET /summary": { body: makeSummary({ panel_cut_off: cutOff }) },
  });
  await renderApp(<Lines />, { queries });
}

it("the overview has one line for each incident, named by what those who suffer have in common", async () => {
  await draw(false, [
    makeIncident({ nodes: 3, connection_units: 5, cause: { kind: "provider", name: "Big Host" } }),
    makeIncident({ id: "2", subject_name: "ams-01", severity: "warning", root_cause_hint: "route" }),
    makeIncident({ id: "3", subject_name: "over", state: "mitigated" }),
  ]);
  expect(
    await screen.findByText(/^crit \| Provider Big Host \| .* \| 3 nodes, 5 flows \| .* \| Open$/),
  ).toBeInTheDocument();
  expect(
    screen.getByText(/^warn \| ams-01 \| Some places cannot reach it \| Likely cause: the route/),
  ).toBeInTheDocument();
  expect(screen.queryByText(/over/)).toBeNull();
});

it("a line covers those who suffer, and says first when the panel itself seems cut off", async () => {
  await draw(true, [makeIncident({ suffering: 2, suffering_ids: ["a node", "a flow"] })]);
  expect(await screen.findByText(/^crit \| fra-02 .* \| covers 2: a node, a flow$/)).toBeInTheDocument();
  expect(screen.getByText(/^crit \| This panel \| seems cut off/)).toBeInTheDocument();
});
