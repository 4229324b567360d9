import { expect, it } from "vitest";
import { makeNode } from "@/testing/fixtures";
import { lastHeard } from "../node/node-view";
import { readingOf } from "./reading";
import type { Node } from "./types";

const node = makeNode() as Node;
const at = Date.parse(node.metrics!.observed_at);
const sample = (after: number) => ({ at: at + after, sessions: 9, rx: 1, tx: 2, cpu: 77, memory: 50 });

it("is the newer of what was read and what the stream told", () => {
  expect(readingOf(node, undefined)).toMatchObject({ cpu: 41, sessions: null });
  expect(readingOf(node, sample(15_000))).toMatchObject({ cpu: 77, sessions: 9 });
  expect(readingOf(node, sample(-15_000))).toMatchObject({ cpu: 41 });
});

it("does not show what was measured before the agent was lost", () => {
  expect(readingOf({ ...node, agent: { ...node.agent, connected: false } }, undefined)).toBeUndefined();
});

it("hears an agent by its samples too, so the age of a healthy node does not grow", () => {
  expect(lastHeard(node, at + 15_000)).toBe(new Date(at + 15_000).toISOString());
  expect(lastHeard(node, undefined)).toBe(node.agent.last_seen_at);
});
