import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { serveUnder, type Reply } from "@/testing/serve";
import { findPools } from "./find-pools";
import { europe, summary } from "./testing";

const serve = serveUnder("/api/v1");
const page = (items: unknown[]): Reply => ({ body: { items, next_cursor: null, total: items.length } });
const [ams] = europe.members;
const nodes = { body: { nodes: [{ id: ams!.node_id, name: ams!.name }] } };

async function find(text: string, replies: Record<string, Reply | Reply[]>) {
  const panel = serve({ [`GET /transit-pools/${europe.id}`]: { body: europe }, ...replies });
  await renderApp(null, { queries: panel.queries });
  return { ...panel, hits: await findPools(text, new AbortController().signal) };
}

it("finds the places of a node in pools, and drains there only after the question", async () => {
  const { hits, written, queries } = await find("ams-01", {
    "GET /transit-pools": [page([]), page([summary])],
    "GET /nodes/brief": nodes,
  });
  expect(hits.map(({ name, detail, path }) => [name, detail, path])).toEqual([
    ["ams-01", "Europe", `/pools/${europe.id}`],
  ]);
  const [run] = hits[0]!.runs!;
  expect(run!.act).toBe("drain");
  await renderApp(
    run!.draw(() => undefined),
    { queries },
  );
  expect(await screen.findByRole("dialog", { name: "Drain ams-01?" })).toBeInTheDocument();
  expect(written()).toEqual([]);
});

it("gives traffic again where a node drains, and finds pools by their own name", async () => {
  const drained = { ...europe, members: [{ ...ams!, drain: true }] };
  const { hits } = await find("europe", {
    "GET /transit-pools": [page([summary]), page([summary])],
    "GET /nodes/brief": nodes,
    [`GET /transit-pools/${europe.id}`]: { body: drained },
  });
  expect(hits.map(({ name, runs }) => [name, runs?.map(({ act }) => act)])).toEqual([
    ["Europe", undefined],
    ["ams-01", ["drain_end"]],
  ]);
});

it("finds pools for somebody who may not see nodes", async () => {
  const { hits } = await find("europe", {
    "GET /transit-pools": page([summary]),
    "GET /nodes/brief": { status: 403, body: { status: 403, code: "permission_denied" } },
  });
  expect(hits.map(({ name }) => name)).toEqual(["Europe"]);
});
