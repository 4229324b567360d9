import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { flowQuery, type Conflict, type Flow } from "../../shared/api";
import type { Finding } from "./problems";

const namesOf = (results: { data: Flow | undefined }[]) =>
  results.flatMap(({ data }) => data?.id ?? []).length === 0
    ? noNames
    : Object.fromEntries(results.flatMap(({ data }) => (data ? [[data.id, data.name] as const] : [])));

const noNames: Record<string, string> = {};

/** What somebody else holds, as a finding at the field that asks for it; it names the flow or the program. */
export function useConflictProblems(conflicts: readonly Conflict[]): Finding[] {
  const { t } = useTranslation("flows");
  const holders = [...new Set(conflicts.flatMap((conflict) => conflict.with.flow_id || []))];
  const names = useQueries({
    queries: holders.map((id) => ({ ...flowQuery(id), retry: false })),
    combine: namesOf,
  });
  return useMemo(
    () =>
      conflicts.map((conflict) => {
        const { flow_id, process } = conflict.with;
        const holder = flow_id
          ? t("conflicts.byFlow", { name: names[flow_id] ?? t("conflicts.otherFlow") })
          : process
            ? t("conflicts.byProcess", { name: process })
            : t("conflicts.bySomeone");
        const { kind, host } = conflict;
        if (kind === "sni_path" || kind === "domain") {
          return { code: `${kind}_taken`, path: conflict.path, message: t(`conflicts.${kind}`, { host, holder }) };
        }
        const port = `${conflict.port}/${conflict.l4}`;
        // The words are those of the page already: no code of the panel stands for them.
        return { code: "port_taken", path: conflict.path, message: t("conflicts.here", { port, holder }) };
      }),
    [conflicts, names, t],
  );
}
