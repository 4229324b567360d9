import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { makeLookup, nodeId, pageOf, serve } from "../testing";
import { lookupOf } from "./lookup-form";
import LookupPage from "./lookup-page";
import LookupsPage from "./lookups-page";

const { id } = makeLookup();

async function draw(change: Parameters<typeof makeLookup>[0] = {}) {
  const { queries } = serve({ [`GET /lookups/${id}`]: { body: makeLookup(change) } });
  await renderApp(<LookupPage />, { queries, route: "/abuse/lookups/$id", path: `/abuse/lookups/${id}` });
}

describe("the answer to a complaint", () => {
  it("is a person with its flow and node, what else it did, and the way to its cases", async () => {
    await draw();
    const people = within(await screen.findByRole("region", { name: "Who it may have been" }));
    expect(people.getByRole("link", { name: "anna's phone" })).toBeInTheDocument();
    expect(people.getByText("Office, fra-02")).toBeInTheDocument();
    expect(people.getByText("Also did: Port scan 96")).toBeInTheDocument();
    expect(people.getByRole("link", { name: "Cases of this user" })).toHaveAttribute(
      "href",
      expect.stringContaining("user_ref="),
    );
  });

  it("says which entries have no record, or one that begins after the complaint", async () => {
    const at = "2026-03-11T12:00:00Z";
    const nodes = [
      { node_id: nodeId, node: "fra-02", state: "answered" as const, since: "2026-03-11T13:00:00Z", error: "" },
      { node_id: "2", node: "ams-01", state: "no_record" as const, since: null, error: "" },
    ];
    await draw({ at, nodes, people: [] });
    const asked = within(await screen.findByRole("region", { name: "Entries that were asked" }));
    expect(asked.getByText(/^Its record begins at/)).toBeInTheDocument();
    expect(asked.getByText("Keeps no record")).toBeInTheDocument();
    expect(screen.getByText("Nobody was found")).toBeInTheDocument();
  });

  it("does not say that nobody was found while nodes are being asked", async () => {
    await draw({ state: "running", people: [] });
    expect(await screen.findByText("Nodes are being asked")).toBeInTheDocument();
    expect(screen.queryByText("Nobody was found")).not.toBeInTheDocument();
  });
});

describe("asking", () => {
  it("needs an address, a moment and a reason; the rest narrows it down", () => {
    const typed = {
      address: " 203.0.113.7 ",
      port: undefined,
      dest: "",
      destPort: 22,
      at: "2026-03-11T12:00:00.000Z",
      tolerance: 300,
      reason: "abuse 4711",
    };
    expect(lookupOf({ ...typed, reason: " " })).toBeUndefined();
    expect(lookupOf({ ...typed, at: undefined })).toBeUndefined();
    expect(lookupOf(typed)).toEqual({
      address: "203.0.113.7",
      dest_port: 22,
      at: typed.at,
      tolerance_s: 300,
      reason: "abuse 4711",
    });
  });

  it("sends what is typed and leads to the answer", async () => {
    const { queries, written } = serve({
      "GET /lookups": pageOf(makeLookup()),
      "POST /lookups": { status: 202, body: { id } },
    });
    const { address } = await renderApp(<LookupsPage />, { queries, route: "/abuse/lookups", path: "/abuse/lookups" });
    await userEvent.type(await screen.findByLabelText("Address in the complaint"), "203.0.113.7");
    fireEvent.change(screen.getByLabelText("Moment"), { target: { value: "2026-03-11T12:00" } });
    await userEvent.type(screen.getByLabelText("Reason"), "abuse 4711");
    await userEvent.click(screen.getByRole("button", { name: "Find" }));
    await waitFor(() => expect(address()).toBe(`/abuse/lookups/${id}`));
    expect(written()[0]!.body).toMatchObject({ address: "203.0.113.7", tolerance_s: 300, reason: "abuse 4711" });
  });

  it("is closed to whoever may only see, who still sees what was asked", async () => {
    const { queries } = serve({ "GET /lookups": pageOf(makeLookup()) }, ["abuse.view"]);
    await renderApp(<LookupsPage />, { queries });
    expect(await screen.findByRole("link", { name: "203.0.113.7" })).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Find" })).toHaveAttribute("aria-disabled", "true");
  });
});
