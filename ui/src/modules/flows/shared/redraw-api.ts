import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { ActEffect, ActResult } from "@/components/dialog/act-dialog";

type Schemas = components["schemas"];

export type Redraw = Schemas["RedrawChange"];
export type RedrawItem = Schemas["RedrawItem"];
export type NewTarget = Schemas["RedrawNewTarget"];
export type NewNode = Schemas["RedrawNewNode"];

const root = "/api/v1/connection-units/bulk";

export const changeTarget = (body: NewTarget, signal?: AbortSignal): Promise<Redraw> =>
  answer(api.POST(`${root}/change-target`, { signal, body }));

export const replaceNode = (body: NewNode, signal?: AbortSignal): Promise<Redraw> =>
  answer(api.POST(`${root}/replace-node`, { signal, body }));

const lookEvery = 1_000;

/** Follows a change of many drafts to its end; `report` is told what is known so far. */
export async function followRedraw(
  begun: Redraw,
  said: (item: RedrawItem) => string,
  report: (results: ActResult[]) => void,
): Promise<ActResult[]> {
  let now = begun;
  while (now.finished_at === null) {
    report(resultsOf(now, said));
    await new Promise((resolve) => setTimeout(resolve, lookEvery));
    now = await answer(api.GET(`${root}/changes/{bulk_id}`, { params: { path: { bulk_id: begun.id } } }));
  }
  return resultsOf(now, said);
}

const resultsOf = ({ items }: Redraw, said: (item: RedrawItem) => string): ActResult[] =>
  items.map((item) => ({
    id: item.flow_id,
    name: item.flow_name,
    ok: item.state === "waiting" ? undefined : item.state === "changed",
    text: said(item),
  }));

/** What a dry run says about the flows that take part. */
export const effectsOfRedraw = ({ items }: Redraw, said: (item: RedrawItem) => string): ActEffect[] =>
  items
    .filter(({ state }) => state === "waiting")
    .map((item) => ({
      key: item.flow_id,
      name: item.flow_name,
      path: `/flows/${item.flow_id}`,
      text: said(item),
    }));

/** And about those that do not, each with its reason. */
export const leftOfRedraw = ({ items }: Redraw, said: (item: RedrawItem) => string) =>
  items
    .filter(({ state }) => state === "left_out")
    .map((item) => ({ id: item.flow_id, name: item.flow_name, text: said(item) }));
