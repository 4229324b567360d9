import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import part from "./health-overview";
import { makeCell, makeSubject, makeSummary, pageOf, serve } from "./testing";

function Lines() {
  return part
    .useAttention()
    .map(({ id, severity, name, what, members, effect, act }) => (
      <p key={id}>{[severity, name, what, members, effect, act.label].filter(Boolean).join(" | ")}</p>
    ));
}

const lost = { state: "down" as const, reason: "unreachable", hint: "unreachable" as const };

async function draw(cutOff: boolean, ...nodes: ReturnType<typeof makeSubject>[]) {
  const { queries } = serve({
    "GET /nodes": pageOf(...nodes),
    "GET /summary": { body: makeSummary({ panel_cut_off: cutOff }) },
  });
  await renderApp(<Lines />, { queries });
}

it("the overview tells nodes that cannot be reached though their agents are well, one line for each reason", async () => {
  await draw(
    false,
    makeSubject({ id: "1", name: "waw-01", ...lost }),
    makeSubject({ id: "2", name: "waw-02", ...lost }),
    makeSubject({ id: "3", name: "ams-01", state: "degraded", reason: "partly_unreachable", hint: "route" }),
  );
  expect(await screen.findByText("crit | 2 nodes | It cannot be reached | waw-01, waw-02 | Show")).toBeInTheDocument();
  expect(
    screen.getByText(/^warn \| ams-01 \| Some places cannot reach it \| Likely cause: the route .* \| Open$/),
  ).toBeInTheDocument();
});

it("what the list of nodes tells already, and what rests, is not told once more", async () => {
  const silent = [makeCell({ check: "heartbeat", state: "down", down: 1, up: 0 })];
  const stopped = [makeCell({ check: "heartbeat" }), makeCell({ check: "core", state: "down" })];
  await draw(
    true,
    makeSubject({ id: "1", name: "silent", ...lost, checks: silent }),
    makeSubject({ id: "2", name: "stopped", ...lost, reason: "core_stopped", checks: stopped }),
    makeSubject({ id: "3", name: "resting", ...lost, maintenance: true }),
    makeSubject({ id: "4", name: "unseen", state: "unknown", reason: "evidence_old" }),
  );
  expect(await screen.findByText(/^crit \| This panel \| seems cut off/)).toBeInTheDocument();
  expect(screen.queryByText(/silent|stopped|resting|unseen/)).toBeNull();
});
