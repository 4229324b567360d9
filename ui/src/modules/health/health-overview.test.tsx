import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import part from "./health-overview";
import type { Incident } from "./incidents/api";
import { makeCell, makeIncident, makeSubject, makeSummary, pageOf, serve } from "./testing";

function Lines() {
  return part
    .useAttention()
    .map(({ id, severity, name, what, members, effect, act }) => (
      <p key={id}>{[severity, name, what, members, effect, act.label].filter(Boolean).join(" | ")}</p>
    ));
}

async function draw(cutOff: boolean, incidents: Incident[], ...nodes: ReturnType<typeof makeSubject>[]) {
  const { queries } = serve({
    "GET /nodes": pageOf(...nodes),
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

it("what the list of nodes tells already is not told once more", async () => {
  const silent = [makeCell({ check: "heartbeat", state: "down", down: 1, up: 0 })];
  await draw(
    true,
    [
      makeIncident({ id: "1", subject_id: "silent", subject_name: "silent" }),
      makeIncident({ id: "2", subject_id: "unseen", subject_name: "unseen" }),
    ],
    makeSubject({ id: "silent", state: "down", checks: silent }),
    makeSubject({ id: "unseen", state: "down" }),
  );
  expect(await screen.findByText(/^crit \| unseen/)).toBeInTheDocument();
  expect(screen.getByText(/^crit \| This panel \| seems cut off/)).toBeInTheDocument();
  expect(screen.queryByText(/silent/)).toBeNull();
});
