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
import { flowNamesQuery, type Client, type ClientState } from "./api";
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
        <Search q={place.q ?? ""} onFind={(q) => onChange({ q: q || undefined })} />
        <FilterButton fields={fields} />
      </div>
      <FilterChips fields={fields} onClear={() => onChange({ ...unfiltered, q: place.q })} />
    </>
  );
}

const ready = ["active", "expired", "spent", "disabled"] as const;

/** The views that everybody has, and those that somebody has kept in this browser. */
function Views({ place, own, onChange }: FilterRowProps) {
  const { t } = useTranslation("clients");
  const views = useOwnViews("clients");
  const current = views.views.find((view) => shows(view, place));
  const search = Object.fromEntries(Object.entries(place).filter(([, value]) => value)) as Record<string, string>;
  const isReady = Object.keys(search).every((key) => key === "state" && ready.some((state) => state === search[key]));
  return (
    <>
      <SavedViews
        label={t("views.label")}
        views={[
          { key: "all", label: t("views.all"), link: { to: "/clients", search: {} } },
          ...ready.map((state) => ({
            key: state as string,
            label: t(`views.${state}`),
            link: { to: "/clients", search: { state } },
          })),
          ...views.views.map((view) => ({
            key: `own:${view.name}`,
            label: view.name,
            link: { to: "/clients", search: view.search },
          })),
        ]}
        current={current ? `own:${current.name}` : isReady ? (place.state ?? "all") : ""}
      />
      {(!isReady || current) && (
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
  ];
}
