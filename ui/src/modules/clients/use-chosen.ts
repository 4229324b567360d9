import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Selection } from "@/components/table/selection";
import type { EveryMatch } from "@/components/table/selection-bar";
import { toastProblem } from "@/components/state/toast";
import { everyClient, type Client } from "./api";
import { narrowing, type ClientsSearch } from "./clients-search";

export interface Chosen {
  clients: Client[];
  selection: Selection;
  every: EveryMatch;
  clear: () => void;
}

/** The chosen clients: among the loaded rows, or all that match the filter, which are read to the end for it. */
export function useChosen(rows: readonly Client[], total: number, place: ClientsSearch): Chosen {
  const { t } = useTranslation("clients");
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState<readonly Client[]>([]);
  const [busy, setBusy] = useState(false);
  const narrowed = narrowing(place);
  const clear = () => {
    setIds(new Set());
    setAll([]);
  };
  const others = JSON.stringify(narrowed);
  useEffect(clear, [others]);
  const clients = useMemo(() => {
    const known = new Map([...all, ...rows].map((client) => [client.id, client]));
    return [...ids].flatMap((id) => known.get(id) ?? []);
  }, [ids, all, rows]);
  const choose = () => {
    setBusy(true);
    everyClient(narrowed)
      .then((found) => {
        setAll(found);
        setIds(new Set(found.map(({ id }) => id)));
      })
      .catch((error: unknown) => toastProblem(t("loadFailed"), error))
      .finally(() => setBusy(false));
  };
  const chosen = all.length > 0 && ids.size >= all.length;
  return { clients, selection: { ids, onChange: setIds }, every: { total, chosen, busy, choose }, clear };
}
