import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { toastProblem } from "@/components/state/toast";
import type { Selection } from "@/components/table/selection";
import type { EveryMatch } from "@/components/table/selection-bar";
import { everyCase, type CaseFilter, type CaseLine } from "./api";

export interface Chosen {
  cases: CaseLine[];
  selection: Selection;
  every: EveryMatch;
  clear: () => void;
}

/** The chosen cases: among the loaded rows, or all that match the filter, which are read to the end for it. */
export function useChosen(rows: readonly CaseLine[], total: number, filter: CaseFilter): Chosen {
  const { t } = useTranslation("abuse");
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState<readonly CaseLine[]>([]);
  const [busy, setBusy] = useState(false);
  const clear = () => {
    setIds(new Set());
    setAll([]);
  };
  const narrowed = JSON.stringify(filter);
  useEffect(clear, [narrowed]);
  const cases = useMemo(() => {
    const known = new Map([...all, ...rows].map((one) => [one.id, one]));
    return [...ids].flatMap((id) => known.get(id) ?? []);
  }, [ids, all, rows]);
  const choose = () => {
    setBusy(true);
    everyCase(filter)
      .then((found) => {
        setAll(found);
        setIds(new Set(found.map(({ id }) => id)));
      })
      .catch((error: unknown) => toastProblem(t("loadFailed"), error))
      .finally(() => setBusy(false));
  };
  const chosen = all.length > 0 && ids.size >= all.length;
  return { cases, selection: { ids, onChange: setIds }, every: { total, chosen, busy, choose }, clear };
}
