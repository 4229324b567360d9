import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { IconRoute2 } from "@tabler/icons-react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { renderApp } from "@/testing/render-app";
import { fakeState } from "../../testing/fake-panel";
import { fakeFlow } from "../../testing/samples";
import { serveFake } from "../../testing/serve-fake";
import type { Explanation, ProbeAnswer } from "../../shared/api";
import { createDraftStore } from "../draft/draft-store";
import { EditorProvider } from "../editor-context";
import { OutlineTab } from "../outline/outline-tab";
import { Trace } from "./trace";

const at = "2026-01-01T00:00:00Z";
const seen = { node_id: "n1", node_name: "fra-01", reason: "probe", error: "", held: false, since: at, at };
const way: Explanation = {
  of: "installed",
  revision: 3,
  result: "direct",
  node_id: "n2",
  node_name: "ber-01",
  steps: [{ edge: 0, from: "in", to: "pool", result: "taken", reason: "every condition holds" }],
  pools: [
    {
      block: "pool",
      pool_id: "p",
      name: "Europe",
      strategy: "ordered",
      fallback: "block",
      choices: [
        {
          node_id: "n1",
          node_name: "fra-01",
          serves: "members",
          active_member_id: "b",
          active_name: "ber-01",
          usable: 1,
          reason: "member_down",
          at,
        },
      ],
      members: [
        {
          member_id: "b",
          node_id: "n2",
          node_name: "ber-01",
          flow_id: "",
          active: true,
          enabled: true,
          drain: false,
          seen: [{ ...seen, state: "healthy", rtt_ms: 12 }],
        },
        {
          member_id: "a",
          node_id: "n3",
          node_name: "waw-01",
          flow_id: "",
          active: false,
          enabled: true,
          drain: false,
          seen: [{ ...seen, state: "down", rtt_ms: 0, reason: "refused", error: "connection refused" }],
        },
      ],
    },
  ],
};

const met: ProbeAnswer = {
  at,
  explanation: way,
  through: { node_id: "n1", node_name: "fra-01", ok: true, ms: 31.4, exit_ip: "192.0.2.9", code: "", error: "" },
  exit: {
    node_id: "n2",
    node_name: "ber-01",
    dialled: "example.org:443",
    ok: false,
    ms: 0,
    address: "",
    inside: false,
    code: "unreachable",
    error: "no answer",
  },
};

const rest = "takes everything that no other edge chose";
const reply = (data: object) => Promise.resolve({ response: new Response(null, { status: 200 }), data }) as never;

async function trace(closed?: string, change: Partial<Explanation> = {}) {
  const flow = fakeFlow();
  const panel = serveFake(fakeState({ flows: [flow] }));
  const asked: string[] = [];
  const get = api.GET;
  vi.spyOn(api, "GET").mockImplementation(((path: string, given: { params: { query: Explanation } }) => {
    if (!path.endsWith("/explain")) return get(path as never, given as never);
    asked.push(given.params.query.of);
    return reply({ ...way, ...change, of: given.params.query.of });
  }) as never);
  const post = vi.spyOn(api, "POST").mockImplementation(() => reply(met));
  const editor = { flow, store: createDraftStore(), problems: [], changes: [], changed: new Set<string>(), closed };
  await renderApp(
    <EditorProvider value={editor}>
      <Trace icon={IconRoute2} />
    </EditorProvider>,
    { path: "/flows/f-europe/graph", queries: panel.queries },
  );
  await userEvent.type(await screen.findByLabelText("Trace a domain, IP or port"), "example.org{Enter}");
  const dialog = within(await screen.findByRole("dialog", { name: "Where this destination goes" }));
  return { asked, post, dialog };
}

describe("the trace of a destination", () => {
  afterEach(() => vi.restoreAllMocks());

  it("says who else serves the entry, where no probe of ours could go in", async () => {
    const by = { connection_id: "c", connection: "Remnawave", node_name: "de-1" };
    const { dialog } = await trace(undefined, { served_by: by });
    expect(await dialog.findByText("Served by Remnawave")).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("radio", { name: /^Installed/ }));
    expect(await dialog.findByText("Served by Remnawave")).toBeInTheDocument();
    expect(dialog.queryByRole("button", { name: "Try it now" })).toBeNull();
  });

  it("stands in the outline as in the graph", async () => {
    const flow = fakeFlow();
    const panel = serveFake(fakeState({ flows: [flow] }));
    const get = api.GET;
    vi.spyOn(api, "GET").mockImplementation(((path: string, given: never) =>
      path.endsWith("/explain")
        ? reply({ ...way, of: "draft", steps: [{ ...way.steps[0]!, reason: rest }] })
        : get(path as never, given)) as never);
    const store = createDraftStore();
    const editor = { flow, store, problems: [], changes: [], changed: new Set<string>(), closed: undefined };
    await renderApp(
      <EditorProvider value={editor}>
        <OutlineTab installed={undefined} />
      </EditorProvider>,
      { path: "/flows/f-europe/outline", queries: panel.queries },
    );
    await userEvent.type(await screen.findByLabelText("Trace a domain, IP or port"), "example.org{Enter}");
    expect(await screen.findByText("Leaves directly from ber-01")).toBeInTheDocument();
    expect(screen.getByText(/takes everything that no other rule chose/)).toBeInTheDocument();
  });

  it("follows the draft, and what is installed when that is asked for", async () => {
    const { asked, dialog } = await trace();
    expect(await dialog.findByText("Leaves directly from ber-01")).toBeInTheDocument();
    expect(dialog.queryByRole("button", { name: "Try it now" })).not.toBeInTheDocument();
    await userEvent.click(dialog.getByRole("radio", { name: "Installed, v17" }));
    expect(await dialog.findByRole("button", { name: "Try it now" })).toBeInTheDocument();
    expect(asked).toEqual(["draft", "installed"]);
  });

  it("tells who carries the traffic of a pool and why, and what was seen of the members", async () => {
    const { dialog } = await trace();
    const pool = within(await dialog.findByRole("region", { name: "Pool Europe" }));
    expect(pool.getByText(/On fra-01, ber-01 carries the traffic/)).toHaveTextContent("a member went down");
    const [carries, away] = pool.getAllByRole("listitem");
    expect(carries).toHaveTextContent("12 ms, the probe was answered, seen by fra-01");
    expect(away).toHaveTextContent("connection refused");
    expect(within(away!).getByRole("img", { name: "down" })).toBeInTheDocument();
  });

  it("lets agents try the way and shows what they met", async () => {
    const { post, dialog } = await trace();
    await userEvent.click(await dialog.findByRole("radio", { name: "Installed, v17" }));
    await userEvent.click(await dialog.findByRole("button", { name: "Try it now" }));
    expect(await dialog.findByText(/A client got through from fra-01, seen as 192.0.2.9/)).toHaveTextContent("31 ms");
    expect(dialog.getByText(/ber-01 did not reach example.org:443/)).toHaveTextContent("no answer");
    expect(post.mock.calls[0]![1]).toMatchObject({ body: { domain: "example.org" } });
  });

  it("does not let somebody try it who may not", async () => {
    const { dialog } = await trace("You may only look");
    await userEvent.click(await dialog.findByRole("radio", { name: "Installed, v17" }));
    expect(await dialog.findByRole("button", { name: "Try it now" })).toHaveAttribute("aria-disabled", "true");
  });
});
