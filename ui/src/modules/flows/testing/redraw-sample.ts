import type { Redraw } from "../shared/redraw-api";
import { moment } from "./places";

/** A change of the drafts of flows, of which nothing is done yet. */
export function fakeRedraw(flows: { id: string; name: string }[], change: Partial<Redraw> = {}): Redraw {
  return {
    id: "r-1",
    operation_id: "o-2",
    kind: "change_target",
    dry_run: false,
    target: "new.example.net:443",
    node_name: "",
    by_node_name: "",
    items: flows.map(({ id, name }) => ({
      flow_id: id,
      flow_name: name,
      revision: 17,
      state: "waiting",
      code: "",
      error: "",
      domains: [],
      blocks: [
        {
          key: "entry",
          node_id: "n-msk",
          node_name: "msk-01",
          from: "dl.example.org:443",
          to: "new.example.net:443",
          check: "needed",
          target_result_id: "",
          sni: "new.example.net",
        },
      ],
    })),
    started_by: "anna",
    started_at: moment,
    finished_at: null,
    ...change,
  };
}
