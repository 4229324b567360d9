import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { EveryMatch } from "@/components/table/selection-bar";
import type { Selection } from "@/components/table/selection";
import { toastProblem } from "@/components/state/toast";
import { everyNode } from "../shared/api";
import type { Node } from "../shared/types";
import type { NodesFilter } from "./nodes-filter";

export interface Chosen {
  nodes: Node[];
  selection: Selection;
  every: EveryMatch;
  clear: () => void;
}

/** The chosen nodes: among the loaded rows, or all that match the filter, which are read to the end for it. */
export function useChosen(rows: readonly Node[], total: number, filter: NodesFilter): Chosen {
  const { t } = useTranslation("nodes");
  const queries = useQueryClient();
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState<readonly Node[]>([]);
  const [busy, setBusy] = useState(false);
  const { state, tag, role, country, q } = filter;
  const clear = () => {
    setIds(new Set());
    setAll([]);
  };
  useEffect(clear, [state, tag, role, country, q]);
  const nodes = useMemo(() => {
    const known = new Map([...all, ...rows].map((node) => [node.id, node]));
    return [...ids].flatMap((id) => known.get(id) ?? []);
  }, [ids, all, rows]);
  const choose = () => {
    setBusy(true);
    everyNode(queries, { state, tag, role, country, q })
      .then((found) => {
        setAll(found);
        setIds(new Set(found.map((node) => node.id)));
      })
      .catch((error: unknown) => toastProblem(t("everyFailed"), error))
      .finally(() => setBusy(false));
  };
  const chosen = all.length > 0 && ids.size >= all.length;
  return { nodes, selection: { ids, onChange: setIds }, every: { total, chosen, busy, choose }, clear };
}
