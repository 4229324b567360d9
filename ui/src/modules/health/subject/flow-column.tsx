import { useQuery } from "@tanstack/react-query";
import { flowBarsQuery } from "../shared/api";
import { HistoryBars } from "../shared/history-bars";

/** The last days of a flow in the list of flows; all rows of the list are one request. */
export default function FlowDays({ id, ids }: { id: string; ids: readonly string[] }) {
  const { data } = useQuery({ ...flowBarsQuery(ids), select: (bars) => bars.get(id) });
  return data ? <HistoryBars bars={data} /> : <span className="dim">—</span>;
}
