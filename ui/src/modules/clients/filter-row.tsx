import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { SavedViews } from "@/components/layout/tabs";
import { FilterButton, FilterChips, type FilterField } from "@/components/table/filter-chips";
import { KeepView } from "@/components/table/keep-view";
import { shows, useOwnViews } from "@/components/table/own-views";
import type { OwnLook } from "@/components/table/use-table-look";
import { flowNamesQuery, summaryQuery, type Client, type ClientState, type Summary } from "./api";
import { clientStates, unfiltered, type ClientsSearch } from "./clients-search";
import classes from "./clients.module.css";

interface FilterRowProps {
  place: ClientsSearch;
  /** The rows that were read so far; their tags are offered. */
  shown: readonly Client[];
  own: OwnLook;
  onChange: (change: Partial<ClientsSearch>) => void;
}

/** Ready views and one's own, the search of the list, and its filters as chips. */
export function FilterRow(props: FilterRowProps) {
  const { place, onChange } = props;
  const fields = useFields(props);
  return (
    <>
      <div className={classes.tools}>
        <Views {...props} />
        <div className={classes.find}>
          <Search q={place.q ?? ""} onFind={(q) => onChange({ q: q || undefined })} />
          <FilterButton fields={fields} />
        </div>
      </div>
      <FilterChips fields={fields} onClear={() => onChange({ ...unfiltered, q: place.q })} />
    </>
  );
}

/** What is counted, in the order of the views, and what each is in the address of the list. */
const ready = {
  total: {},
  active: { state: "active" },
  online: { online: true },
  ending: { ends_within: 7 },
  expired: { state: "expired" },
  spent: { state: "spent" },
  disabled: { state: "disabled" },
} satisfies Partial<Record<keyof Summary, Partial<ClientsSearch>>>;
const counted = Object.keys(ready) as (keyof typeof ready)[];

/** The views that everybody has, and those that somebody has kept in this browser. */
function Views({ place, own, onChange }: FilterRowProps) {
  const { t } = useTranslation("clients");
  const views = useOwnViews("clients");
  const current = views.views.find((view) => shows(view, place));
  const summary = useQuery(summaryQuery).data;
  const search = Object.fromEntries(
    Object.entries(place).flatMap(([key, value]) => (value ? [[key, String(value)]] : [])),
  );
  const shown = counted.find((key) => shows({ name: key, search }, ready[key]));
  return (
    <>
      <SavedViews
        label={t("views.label")}
        views={[
          ...counted.map((key) => ({
            key: key as string,
            label: t(`views.${key}`),
            count: summary?.[key],
            link: { to: "/clients", search: ready[key] },
          })),
          ...views.views.map((view) => ({
            key: `own:${view.name}`,
            label: view.name,
            link: { to: "/clients", search: view.search },
          })),
        ]}
        current={current ? `own:${current.name}` : (shown ?? "")}
      />
      {(!shown || current) && (
        <KeepView
          current={current?.name}
          onKeep={(name) => views.keep({ name, search, look: own.look })}
          onRemove={(name) => {
            views.remove(name);
            onChange({ ...unfiltered, sort: undefined });
          }}
        />
      )}
    </>
  );
}

const pause = 250;
/** Stands among the days of the time filter for what has no end yet. */
const notBegun = "not_begun";

/** Asks once the typing rests; it is emptied when the filters are cleared. */
function Search({ q, onFind }: { q: string; onFind: (q: string) => void }) {
  const { t } = useTranslation("clients");
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    if (text === q) return;
    const timer = setTimeout(() => onFind(text), pause);
    return () => clearTimeout(timer);
  }, [text, q, onFind]);
  return (
    <TextInput
      className={classes.search}
      aria-label={t("search")}
      placeholder={t("search")}
      data-search
      leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

function useFields({ place, shown, onChange }: Omit<FilterRowProps, "own">): FilterField[] {
  const { t } = useTranslation("clients");
  const flows = useQuery(flowNamesQuery).data ?? [];
  const tags = new Set(shown.flatMap((client) => client.tags));
  if (place.tag) tags.add(place.tag);
  return [
    {
      key: "state",
      label: t("columns.state"),
      value: place.state,
      options: clientStates.map((value) => ({ value, label: t(`state.${value}`) })),
      onChange: (state) => onChange({ state: state as ClientState | undefined }),
    },
    {
      key: "flow_id",
      label: t("filter.flow"),
      value: place.flow_id,
      options: flows,
      onChange: (flow_id) => onChange({ flow_id }),
    },
    {
      key: "tag",
      label: t("filter.tag"),
      value: place.tag,
      options: [...tags].sort().map((value) => ({ value, label: value })),
      onChange: (tag) => onChange({ tag }),
    },
    {
      key: "online",
      label: t("filter.now"),
      value: place.online && "true",
      options: [{ value: "true", label: t("onlineNow") }],
      onChange: (online) => onChange({ online: online ? true : undefined }),
    },
    {
      key: "ends_within",
      label: t("filter.time"),
      value: place.not_begun ? notBegun : place.ends_within?.toString(),
      options: [
        ...[...new Set([1, 7, 30, place.ends_within ?? 7])].map((days) => ({
          value: String(days),
          label: t("filter.endsWithin", { count: days }),
        })),
        { value: notBegun, label: t("filter.notBegun") },
      ],
      onChange: (time) =>
        onChange({
          not_begun: time === notBegun || undefined,
          ends_within: time && time !== notBegun ? Number(time) : undefined,
        }),
    },
  ];
}
