import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import type { SignalKind } from "../shared/kinds";
import { listQuery } from "@/components/table/list-query";

type Schemas = components["schemas"];
export type Signal = Omit<Schemas["ViewsSignal"], "source" | "dest" | "action"> & {
  source: Schemas["ViewsSource"];
  dest: Schemas["ViewsDest"];
  action: Schemas["ViewsHandled"];
};

export interface SignalFilter {
  kind?: SignalKind | undefined;
  user_ref?: string | undefined;
  node_id?: string | undefined;
  flow_id?: string | undefined;
  detected_by?: Signal["detected_by"] | undefined;
  min_confidence?: number | undefined;
  allowed?: boolean | undefined;
  from?: string | undefined;
  sort?: string | undefined;
}

export const signalsQuery = (filter: SignalFilter) =>
  listQuery<Signal>(["abuse", "signals", filter], async (page, signal) => {
    const read = await answer(api.GET("/api/v1/abuse/signals", { params: { query: { ...filter, ...page } }, signal }));
    return { ...read, items: read.items as Signal[] };
  });
