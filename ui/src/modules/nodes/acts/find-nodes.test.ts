import { expect, it } from "vitest";
import { makeNode } from "@/testing/fixtures";
import { pageOf, serveUnder } from "@/testing/serve";
import { startI18n } from "@/text/i18n";
import { findNodes } from "./find-nodes";

const serve = serveUnder("/api/v1");

async function restartOf(sessions: number | null) {
  await startI18n("en");
  const node = makeNode();
  const metrics = { ...node.metrics!, sessions, tcp_established: 31 };
  serve({ "GET /nodes": pageOf({ ...node, metrics, agent: { ...node.agent, connected: true } }) });
  const [hit] = await findNodes("fra", new AbortController().signal);
  return hit?.runs?.find(({ act }) => act === "restart_core")?.detail;
}

it("tells the sessions that a restart breaks, as its dialog does", async () => {
  expect(await restartOf(1_182)).toBe("1,182 open sessions there");
  expect(await restartOf(0)).toBe("0 open sessions there");
});

it("tells the connections of the host where an agent counts no sessions", async () => {
  expect(await restartOf(null)).toBe("31 open TCP connections there");
});
