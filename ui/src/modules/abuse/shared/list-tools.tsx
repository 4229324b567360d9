import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { SavedViews } from "@/components/layout/tabs";
import { FilterButton, FilterChips, type FilterField } from "@/components/table/filter-chips";
import { KeepView } from "@/components/table/keep-view";
import { shows, useOwnViews } from "@/components/table/own-views";
import type { OwnLook } from "@/components/table/use-table-look";
import classes from "../abuse.module.css";

/** What the address of a list says. */
export type Place = Record<string, string | number | boolean | undefined>;

export interface ReadyView {
  key: string;
  label: string;
  count?: number;
  search: Record<string, string>;
}

interface ListToolsProps<P extends Place> {
  /** The name under which own views are kept. */
  name: string;
  path: string;
  place: P;
  views: readonly ReadyView[];
  fields: readonly FilterField[];
  own: OwnLook;
  onChange: (change: Partial<P>) => void;
  /** The words of the field that finds rows; without them the list has none. */
  search?: string;
}

/** Ready views and one's own, the search of the list, and its filters as chips. */
export function ListTools<P extends Place>(props: ListToolsProps<P>) {
  const { place, fields, search, onChange } = props;
  const clear = () => onChange(Object.fromEntries(fields.map(({ key }) => [key, undefined])) as unknown as Partial<P>);
  return (
    <>
      <div className={classes.tools}>
        <Views {...props} />
        {search !== undefined && (
          <Search label={search} q={String(place.q ?? "")} onFind={(q) => onChange({ q: q || undefined } as never)} />
        )}
        <FilterButton fields={fields} />
      </div>
      <FilterChips fields={fields} onClear={clear} />
    </>
  );
}

/** What the address narrows the list to, without what is not set. */
export function narrowed(place: Place): Record<string, string> {
  const set = Object.entries(place).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(set.map(([key, value]) => [key, String(value)]));
}

function Views<P extends Place>({ name, path, place, views, own, onChange }: ListToolsProps<P>) {
  const { t } = useTranslation("abuse");
  const kept = useOwnViews(name);
  const mine = kept.views.find((view) => shows(view, place));
  const ready = views.find(({ key, search }) => shows({ name: key, search }, place));
  const to = (search: Record<string, string>) => ({ to: path, search });
  return (
    <>
      <SavedViews
        label={t("views.label")}
        views={[
          ...views.map(({ key, label, count, search }) => ({ key, label, count, link: to(search) })),
          ...kept.views.map((view) => ({ key: `own:${view.name}`, label: view.name, link: to(view.search) })),
        ]}
        current={mine ? `own:${mine.name}` : (ready?.key ?? "")}
      />
      {(mine || !ready) && (
        <KeepView
          current={mine?.name}
          onKeep={(title) => kept.keep({ name: title, search: narrowed(place), look: own.look })}
          onRemove={(title) => {
            kept.remove(title);
            onChange(Object.fromEntries(Object.keys(place).map((key) => [key, undefined])) as unknown as Partial<P>);
          }}
        />
      )}
    </>
  );
}

const pause = 250;

/** Asks once the typing rests; it is emptied when the filters are cleared. */
function Search({ label, q, onFind }: { label: string; q: string; onFind: (q: string) => void }) {
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
      aria-label={label}
      placeholder={label}
      data-search
      leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
