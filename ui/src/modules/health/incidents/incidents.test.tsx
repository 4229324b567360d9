import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import * as files from "@/components/screen/save-file";
import { renderApp } from "@/testing/render-app";
import { makeIncident, makeIncidentDetail, pageOf, serve } from "../testing";
import IncidentPage from "./incident-page";
import { IncidentLine } from "./incident-line";
import IncidentsPage from "./incidents-page";

const page = `/monitoring/incidents/${makeIncident().id}`;
const path = `GET /incidents/${makeIncident().id}`;

it("the list names incidents by their cause, with how far they reach", async () => {
  const { queries } = serve({
    "GET /incidents": pageOf(
      makeIncident({ nodes: 40, connection_units: 2, cause: { kind: "provider", name: "Big Host" } }),
      makeIncident({ id: "2", subject_name: "ams-01", state: "resolved", root_cause_hint: "core_failed" }),
    ),
  });
  await renderApp(<IncidentsPage />, { queries });
  expect(await screen.findByRole("link", { name: "Provider Big Host" })).toBeInTheDocument();
  expect(screen.getByText("40 nodes, 2 flows")).toBeInTheDocument();
  expect(screen.getByText("The core does not run")).toBeInTheDocument();
});

it("the page shows who suffers, who is well again, and what was seen", async () => {
  const { queries } = serve({ [path]: { body: makeIncidentDetail() } });
  await renderApp(<IncidentPage />, { queries, route: "/monitoring/incidents/$id", path: page });
  const card = await screen.findByRole("region", { name: "Who is affected" });
  expect(within(card).getByText("1 of 2 still")).toBeInTheDocument();
  expect(within(card).getByText(/well again/)).toBeInTheDocument();
  expect(within(card).getByText("What 1 place saw then")).toBeInTheDocument();
  const line = screen.getByRole("region", { name: "What happened" });
  expect(within(line).getByText("olga acknowledged it.")).toBeInTheDocument();
  expect(within(line).getByText("calling the hoster")).toBeInTheDocument();
});

it("who acknowledges leaves a note", async () => {
  const { queries, written } = serve({
    [path]: { body: makeIncidentDetail() },
    [`POST /incidents/${makeIncident().id}/ack`]: { body: makeIncidentDetail({ state: "acknowledged" }) },
  });
  await renderApp(<IncidentPage />, { queries, route: "/monitoring/incidents/$id", path: page });
  await userEvent.click(await screen.findByRole("button", { name: "Acknowledge…" }));
  await userEvent.type(await screen.findByLabelText(/Note/), "on it");
  await userEvent.click(screen.getByRole("button", { name: "Acknowledge" }));
  await screen.findByText("Who is affected");
  expect(written().map(({ body }) => body)).toEqual([{ note: "on it" }]);
});

it("what suffers from an incident says so", async () => {
  const { queries } = serve({ "GET /incidents": pageOf(makeIncident()) });
  await renderApp(<IncidentLine subjectId="x" />, { queries });
  expect(await screen.findByRole("link", { name: "fra-02: It cannot be reached" })).toBeInTheDocument();
});

it("the list is saved as a file", async () => {
  const saved = vi.spyOn(files, "saveFile").mockImplementation(() => undefined);
  const incident = makeIncident({ nodes: 40, cause: { kind: "provider", name: "Big, Host" } });
  const { queries } = serve({ "GET /incidents": pageOf(incident) });
  await renderApp(<IncidentsPage />, { queries });
  await userEvent.click(await screen.findByRole("button", { name: "CSV" }));
  const [name, text] = saved.mock.calls[0]!;
  expect(name).toBe("incidents.csv");
  expect(text).toContain('"provider:Big, Host"');
  expect(text).toContain(incident.id);
});
