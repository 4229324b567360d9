import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { FilterButton, FilterChips, type FilterField } from "@/components/table/filter-chips";
import { flowNamesQuery, type Client, type ClientState } from "./api";
import { clientStates, unfiltered, type ClientsSearch } from "./clients-search";
import classes from "./clients.module.css";

interface FilterRowProps {
  place: ClientsSearch;
  /** The rows that were read so far; their tags are offered. */
  shown: readonly Client[];
  onChange: (change: Partial<ClientsSearch>) => void;
}

/** The search of the list, and its filters as chips. */
export function FilterRow({ place, shown, onChange }: FilterRowProps) {
  const fields = useFields({ place, shown, onChange });
  return (
    <>
      <div className={classes.tools}>
        <Search q={place.q ?? ""} onFind={(q) => onChange({ q: q || undefined })} />
        <FilterButton fields={fields} />
      </div>
      <FilterChips fields={fields} onClear={() => onChange({ ...unfiltered, q: place.q })} />
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

function useFields({ place, shown, onChange }: FilterRowProps): FilterField[] {
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
