import { IconRoute2, IconUser } from "@tabler/icons-react";
import i18next from "i18next";
import { lazy } from "react";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { PaletteHit, PaletteRun } from "@/module";
import { leftOut } from "../acts/flow-effects";
import type { Flow, Page } from "../shared/api";
import { healthGlyph } from "../shared/states";

// What is found is drawn at once; the dialogs come when one of them is opened.
const FlowActDialog = lazy(() =>
  import("../acts/flow-act-dialog").then(({ FlowActDialog: Dialog }) => ({ default: Dialog })),
);
const CompileDialog = lazy(() => import("./compile-dialog").then(({ CompileDialog: Dialog }) => ({ default: Dialog })));
const LinkDialog = lazy(() => import("../access/link-dialog").then(({ LinkDialog: Dialog }) => ({ default: Dialog })));

type FoundClient = components["schemas"]["ClientsFoundClient"];

/** Flows by their name or that of a node of theirs with their acts, and clients of all flows with their link. */
export async function findFlows(q: string, signal: AbortSignal): Promise<PaletteHit[]> {
  const [named, there, clients] = await Promise.all([
    listed({ q }, signal),
    flowsOnNodes(q, signal),
    answer(api.GET("/api/v1/connection-units/clients", { signal, params: { query: { q, limit: most } } })),
    i18next.loadNamespaces("flows"),
  ]);
  const known = new Set(named.map(({ id }) => id));
  const others = there.filter(({ flow }) => !known.has(flow.id) && known.add(flow.id)).slice(0, most);
  const t = i18next.getFixedT(null, "flows");
  return [
    ...named.map((flow) => flowHit(flow, flow.entry?.host)),
    // Whoever types the name of a node means the node: its flows are only ways there.
    ...others.map(({ flow, node }) => ({ ...flowHit(flow, t("palette.onNode", { name: node })), runs: [] })),
    ...clients.items.map(clientHit),
  ];
}

const most = 6;
const mostNodes = 3;

async function listed(query: { q?: string; node_id?: string }, signal: AbortSignal): Promise<Flow[]> {
  const page = answer(api.GET("/api/v1/connection-units", { signal, params: { query: { ...query, limit: most } } }));
  return ((await page) as Page<Flow>).items;
}

/** The flows of the first nodes with such a name; none for somebody who may not see nodes. */
async function flowsOnNodes(q: string, signal: AbortSignal): Promise<{ flow: Flow; node: string }[]> {
  const nodes = await answer(api.GET("/api/v1/nodes/brief", { signal, params: { query: { q } } })).then(
    (found) => found.nodes.slice(0, mostNodes),
    () => [],
  );
  const flows = nodes.map(async ({ id, name }) =>
    (await listed({ node_id: id }, signal)).map((flow) => ({ flow, node: name })),
  );
  return (await Promise.all(flows)).flat();
}

function flowHit(flow: Flow, detail: string | undefined): PaletteHit {
  const t = i18next.getFixedT(null, "flows");
  return {
    id: flow.id,
    group: t("palette.flows"),
    name: flow.name,
    detail,
    path: `/flows/${flow.id}`,
    icon: IconRoute2,
    status: { kind: healthGlyph[flow.health_state], text: t(`health.${flow.health_state}`) },
    runs: [
      {
        act: "compile",
        detail: t("palette.compileDetail", { revision: flow.draft_revision }),
        reason: flow.state === "applying" ? t("palette.applying") : undefined,
        draw: (onClose) => <CompileDialog flow={flow} onClose={onClose} />,
      },
      ...(flow.installed_revision === null ? [] : [switchRun(flow)]),
    ],
  };
}

/** Stopping a flow that serves, or starting one that was stopped: the other one would be no offer. */
function switchRun(flow: Flow): PaletteRun {
  const t = i18next.getFixedT(null, "flows");
  const act = flow.enabled ? "disable" : "enable";
  const count = flow.client_counts.total;
  const left = leftOut(act, flow);
  return {
    act: flow.enabled ? "stop" : "start",
    detail: t(flow.enabled ? "act.loses" : "act.gains", { count, number: flow.installed_version_number }),
    reason: left && t(left),
    draw: (onClose) => <FlowActDialog act={act} flows={[flow]} onClose={onClose} />,
  };
}

function clientHit(client: FoundClient): PaletteHit {
  const t = i18next.getFixedT(null, "flows");
  return {
    id: client.id,
    group: t("palette.clients"),
    name: client.label,
    detail: client.flow_name,
    path: `/flows/${client.flow_id}/clients`,
    icon: IconUser,
    runs: [
      {
        act: "link",
        detail: client.flow_name,
        reason: client.installed ? undefined : t("clients.afterApply"),
        draw: (onClose) => <LinkOf client={client} onClose={onClose} />,
      },
    ],
  };
}

function LinkOf({ client, onClose }: { client: FoundClient; onClose: () => void }) {
  return <LinkDialog flow={{ id: client.flow_id }} client={client} onClose={onClose} />;
}
