import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { SavedViews } from "@/components/layout/tabs";
import { FilterButton, FilterChips, type FilterField } from "@/components/table/filter-chips";
import { KeepView } from "@/components/table/keep-view";
import { shows, useOwnViews } from "@/components/table/own-views";
import type { OwnLook } from "@/components/table/use-table-look";
import { countryName } from "@/text/place";
import { useLanguage } from "@/text/use-format";
import type { NodeSummary } from "../shared/fleet";
import type { NodeState } from "../shared/types";
import { unfiltered, type NodesFilter } from "./nodes-filter";
import classes from "./nodes.module.css";

interface FilterRowProps {
  filter: NodesFilter;
  onFilter: (change: Partial<NodesFilter>) => void;
  summary: NodeSummary | undefined;
  own: OwnLook;
}

/** Ready views and one's own, filters as chips, and the search of the list. */
export function FilterRow({ filter, onFilter, summary, own }: FilterRowProps) {
  const { t } = useTranslation("nodes");
  const fields = useFields(filter, onFilter, summary);
  const views = useOwnViews("nodes");
  const current = views.views.find((view) => shows(view, filter));
  const ready = useReadyViews(filter, summary);
  const search = Object.fromEntries(Object.entries(filter).filter(([, value]) => value)) as Record<string, string>;
  const isReady = Object.keys(search).every((key) => key === "state");
  return (
    <>
      <div className={classes.filters}>
        <SavedViews
          label={t("views.label")}
          views={[
            ...ready,
            ...views.views.map((view) => ({
              key: `own:${view.name}`,
              label: view.name,
              link: { to: "/nodes", search: view.search },
            })),
          ]}
          current={current ? `own:${current.name}` : isReady ? (filter.state ?? "all") : ""}
        />
        {(!isReady || current) && (
          <KeepView
            current={current?.name}
            onKeep={(name) => views.keep({ name, search, look: own.look })}
            onRemove={(name) => {
              views.remove(name);
              onFilter(unfiltered);
            }}
          />
        )}
        <div className={classes.tools}>
          <FilterButton fields={fields} />
          <Search filter={filter} onFilter={onFilter} />
        </div>
      </div>
      <FilterChips fields={fields} onClear={() => onFilter({ ...unfiltered, sort: filter.sort })} />
    </>
  );
}

const states = ["attention", "offline", "degraded", "maintenance", "pending", "disabled"] as const;

function useReadyViews(filter: NodesFilter, summary: NodeSummary | undefined) {
  const { t } = useTranslation("nodes");
  const count = (state: NodeState | "attention") =>
    state === "attention" ? summary?.attention_nodes : summary && (summary.states[state] ?? 0);
  const all = { key: "all", label: t("views.all"), count: summary?.total, link: { to: "/nodes", search: {} } };
  const some = states
    .map((state) => ({
      key: state as string,
      label: t(`views.${state}`),
      count: count(state),
      link: { to: "/nodes", search: { state } },
    }))
    .filter((view) => view.key === filter.state || (view.count ?? 0) > 0);
  return [all, ...some];
}

function useFields(
  filter: NodesFilter,
  onFilter: FilterRowProps["onFilter"],
  summary: NodeSummary | undefined,
): FilterField[] {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const counted = (label: string, nodes: number) => `${label} (${nodes})`;
  const field = <Key extends keyof NodesFilter>(key: Key, label: string, options: FilterField["options"]) => ({
    key,
    label,
    options: known(options, filter[key]),
    value: filter[key],
    onChange: (value: string | undefined) => onFilter({ [key]: value }),
  });
  return [
    field(
      "state",
      t("columns.health"),
      (["online", ...states] as const).map((value) => ({
        value,
        label: t(value === "attention" ? "views.attention" : `health.${value}`),
      })),
    ),
    field(
      "role",
      t("columns.role"),
      (["entry", "transit", "exit", "edge"] as const).map((value) => ({ value, label: t(`role.${value}`) })),
    ),
    field(
      "country",
      t("settings.country"),
      (summary?.countries ?? []).map(({ code, nodes }) => ({
        value: code,
        label: counted(countryName(code, language), nodes),
      })),
    ),
    field(
      "tag",
      t("columns.tag"),
      (summary?.tags ?? []).map(({ tag, nodes }) => ({ value: tag, label: counted(tag, nodes) })),
    ),
  ];
}

/** What the address says is an option even where the panel no longer counts it. */
function known(options: FilterField["options"], value: string | undefined): FilterField["options"] {
  if (value === undefined || options.some((option) => option.value === value)) return options;
  return [...options, { value, label: value }];
}

const pause = 250;

function Search({ filter, onFilter }: Pick<FilterRowProps, "filter" | "onFilter">) {
  const { t } = useTranslation("nodes");
  const [text, setText] = useState(filter.q ?? "");
  useEffect(() => setText(filter.q ?? ""), [filter.q]);
  useEffect(() => {
    if (text === (filter.q ?? "")) return;
    const timer = setTimeout(() => onFilter({ q: text || undefined }), pause);
    return () => clearTimeout(timer);
  }, [text, filter.q, onFilter]);
  return (
    <TextInput
      className={classes.search}
      aria-label={t("filter")}
      placeholder={t("filter")}
      data-search
      leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
