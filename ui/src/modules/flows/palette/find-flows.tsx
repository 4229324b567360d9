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

/** Flows by name with their acts, and clients of all flows with their link. */
export async function findFlows(q: string, signal: AbortSignal): Promise<PaletteHit[]> {
  const [flows, clients] = await Promise.all([
    answer(api.GET("/api/v1/connection-units", { signal, params: { query: { q, limit: 6 } } })) as Promise<Page<Flow>>,
    answer(api.GET("/api/v1/connection-units/clients", { signal, params: { query: { q, limit: 6 } } })),
    i18next.loadNamespaces("flows"),
  ]);
  return [...flows.items.map(flowHit), ...clients.items.map(clientHit)];
}

function flowHit(flow: Flow): PaletteHit {
  const t = i18next.getFixedT(null, "flows");
  return {
    id: flow.id,
    group: t("palette.flows"),
    name: flow.name,
    detail: flow.entry?.host,
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
