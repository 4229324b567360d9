import { serveUnder } from "@/testing/serve";
import type { Answer, Helper, Proposal, Question, State } from "./api";

const at = "2026-03-11T04:00:00Z";

export const questionId = "01890000-0000-7000-8000-0000000000a1";
export const proposalId = "01890000-0000-7000-8000-0000000000b1";
export const helperId = "01890000-0000-7000-8000-0000000000c1";

export function makeState(change: Partial<State> = {}): State {
  return {
    model: {
      on: false,
      kind: "openai",
      name: "",
      spent: { tokens: 0, tokens_limit: 200_000, cost: 0, cost_limit: 0, resets_at: at },
    },
    read_only: false,
    available: true,
    helper: null,
    suggestions: ["Which nodes are offline?"],
    keep_days: 90,
    ...change,
  };
}

export function makeAnswer(change: Partial<Answer> = {}): Answer {
  return {
    understood: true,
    topic: "offline_nodes",
    paragraphs: [
      { kind: "text", text: "One node is offline.", links: [] },
      { kind: "item", text: "ams-02 since 05:53", links: [{ label: "ams-02", href: "/nodes/n1?tab=health" }] },
    ],
    read: [{ path: "/api/v1/nodes?state=offline", at, ok: true, missing: [] }],
    proposals: [],
    suggestions: [],
    refused: [],
    ...change,
  };
}

export function makeQuestion(change: Partial<Question> = {}): Question {
  return {
    id: questionId,
    text: "Which nodes are offline?",
    language: "en",
    page: "/",
    asked_at: at,
    finished_at: at,
    state: "answered",
    engine: "built_in",
    error: null,
    tokens: 0,
    answer: makeAnswer(),
    ...change,
  };
}

export function makeProposal(change: Partial<Proposal> = {}): Proposal {
  return {
    id: proposalId,
    kind: "form",
    title: "Maintenance of ams-02",
    why: "It is offline.",
    state: "open",
    created_at: at,
    expires_at: at,
    settled_at: at,
    needs: "nodes.edit",
    href: "/nodes/n1",
    diff: [{ field: "maintenance", from: "off", to: "on" }],
    request: { method: "POST", path: "/api/v1/nodes/n1/maintenance", body: { reason: "offline" } },
    ...change,
  };
}

export function makeHelper(change: Partial<Helper> = {}): Helper {
  return {
    id: helperId,
    holder: { account_id: "a1", name: "maria" },
    mine: true,
    since: at,
    idle_at: at,
    language: "en",
    step: "token",
    steps: [
      {
        key: "token",
        title: "Bot token",
        text: "Ask @BotFather.",
        state: "current",
        href: "/notifications/settings",
        request: null,
      },
      { key: "test", title: "Test message", text: "Send one.", state: "waiting", href: "", request: null },
    ],
    ...change,
  };
}

export { pageOf } from "@/testing/serve";
export const serve = serveUnder("/api/v1");
