import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchState } from "@/components/screen/use-search";
import type { FilterField } from "@/components/table/filter-chips";
import { useTableLook } from "@/components/table/use-table-look";
import { ActDialog } from "../acts/act-dialog";
import type { CaseAct } from "../acts/acts";
import { AbuseHeader } from "../header";
import { ListTools } from "../shared/list-tools";
import { shortRef } from "../shared/user";
import { thresholdsQuery } from "../api";
import { casesQuery, caseStates, steps, type CaseLine } from "./api";
import { CasesTable } from "./cases-table";
import { casesSearch, filterOf, type CasesSearch } from "./cases-search";
import { useChosen } from "./use-chosen";

const ready = ["actioned", "dismissed", "expired", "all"] as const;

/** Who seems to misuse the service: find, look, and act, one by one or many at once. */
export default function CasesPage() {
  const { t } = useTranslation("abuse");
  const [place, setPlace] = useSearchState(casesSearch);
  const filter = filterOf(place);
  const sort = place.sort ?? "-score";
  const list = useInfiniteQuery(casesQuery(filter, sort));
  const own = useTableLook("abuse-cases");
  const chosen = useChosen(list.data?.items ?? [], list.data?.total ?? 0, filter);
  const [asked, setAsked] = useState<{ act: CaseAct; cases: readonly CaseLine[] }>();
  const fields = useFields(place, list.data?.items ?? [], setPlace);
  const set = [place.q, ...fields.map(({ value }) => value)].some((value) => value !== undefined);
  const clear = () => setPlace({ q: undefined, ...Object.fromEntries(fields.map(({ key }) => [key, undefined])) });
  const open = place.state === undefined && !set ? list.data?.total : undefined;
  return (
    <>
      <AbuseHeader current="cases" />
      <ListTools
        name="abuse-cases"
        path="/abuse"
        place={place}
        own={own}
        fields={fields}
        search={t("cases.search")}
        onChange={setPlace}
        views={[
          { key: "open", label: t("case.state.open"), count: open, search: {} },
          ...ready.map((state) => ({
            key: state,
            label: state === "all" ? t("views.all") : t(`case.state.${state}`),
            search: { state },
          })),
        ]}
      />
      <CasesTable
        list={list}
        own={own}
        chosen={chosen}
        sorting={{ value: sort, onChange: (value) => setPlace({ sort: value as CasesSearch["sort"] }) }}
        onAct={(act, cases) => setAsked({ act, cases })}
        onClear={set ? clear : undefined}
      />
      {asked && <ActDialog {...asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

/** What is offered of nodes and users is what stands in the list. */
function useFields(
  place: CasesSearch,
  shown: readonly CaseLine[],
  onChange: (change: Partial<CasesSearch>) => void,
): FilterField[] {
  const { t } = useTranslation("abuse");
  const thresholds = useQuery(thresholdsQuery).data;
  const field = (
    key: "state" | "recommended" | "score" | "node_id" | "user_ref",
    label: string,
    options: FilterField["options"],
  ): FilterField => ({
    key,
    label,
    value: place[key] === undefined ? undefined : String(place[key]),
    options,
    onChange: (value) => onChange({ [key]: key === "score" && value ? Number(value) : value }),
  });
  const named = (all: readonly [id: string, name: string][], wanted: string | undefined) => {
    const known = new Map(all.map(([id, name]) => [id, name || shortRef(id)]));
    if (wanted && !known.has(wanted)) known.set(wanted, shortRef(wanted));
    return [...known].map(([value, label]) => ({ value, label })).sort((a, b) => a.label.localeCompare(b.label));
  };
  const nodes = shown.flatMap((one) => one.nodes.map(({ id, name }) => [id, name] as [string, string]));
  const users = shown.map((one) => [one.user_ref, one.user.name] as [string, string]);
  const levels = thresholds ? (["warn", "limit", "block"] as const) : [];
  return [
    field("state", t("case.stateHead"), [
      ...caseStates.map((value) => ({ value, label: t(`case.state.${value}`) })),
      { value: "all", label: t("views.all") },
    ]),
    field(
      "recommended",
      t("case.suggested"),
      steps.map((value) => ({ value, label: t(`case.step.${value}`) })),
    ),
    field(
      "score",
      t("case.leastScore"),
      levels.map((level) => ({
        value: String(thresholds![level]),
        label: `${t(`case.threshold.${level}`)} ${thresholds![level]}`,
      })),
    ),
    field("node_id", t("node"), named(nodes, place.node_id)),
    field("user_ref", t("user.one"), named(users, place.user_ref)),
  ];
}
