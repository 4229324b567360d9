import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { DataTable, type Column } from "@/components/table/data-table";
import type { Entry } from "./api";
import classes from "./audit.module.css";
import { ActionName, Result, useActionWords, useObjectName, When, Who } from "./words";

interface EntriesProps {
  entries: Entry[];
  total: number;
  current: string | undefined;
  /** Show what the panel calls each action beside its words. */
  codes: boolean;
  /** All of them are about the same object, which then needs no column. */
  oneObject?: boolean;
  /** Stands there when no entry does. */
  empty: ReactNode;
  onOpen: (id: string) => void;
  more: { load: () => void; busy: boolean } | undefined;
}

export function Entries({ entries, total, current, codes, oneObject, empty, onOpen, more }: EntriesProps) {
  const { t } = useTranslation("audit");
  const columns = useColumns(codes).filter((column) => !oneObject || column.key !== "object");
  return (
    <DataTable
      label={t("title")}
      rows={entries}
      total={total}
      columns={columns}
      rowId={(entry) => entry.id}
      rowName={(entry) => entry.action}
      current={current}
      onOpen={(entry) => onOpen(entry.id)}
      phone={(entry) => <PhoneEntry entry={entry} />}
      onMore={more?.load}
      loadingMore={more?.busy}
      empty={empty}
    />
  );
}

/** The address of an entry: the page as it is, with the entry open. */
function EntryLink({ entry, children, className }: { entry: Entry; children: React.ReactNode; className?: string }) {
  return (
    <Link
      to="."
      search={(old: Record<string, unknown>) => ({ ...old, entry: entry.id })}
      replace
      className={className ?? classes.link}
      id={`entry-${entry.id}`}
    >
      {children}
    </Link>
  );
}

function useColumns(codes: boolean): Column<Entry>[] {
  const { t } = useTranslation("audit");
  return useMemo(
    () => [
      {
        key: "at",
        head: t("columns.at"),
        width: 168,
        cell: (entry) => (
          <EntryLink entry={entry}>
            <When at={entry.at} />
          </EntryLink>
        ),
      },
      { key: "actor", head: t("columns.actor"), cell: (entry) => <Who actor={entry.actor} /> },
      { key: "action", head: t("columns.action"), cell: (entry) => <ActionName entry={entry} codes={codes} /> },
      { key: "object", head: t("columns.object"), cell: (entry) => <ObjectName entry={entry} /> },
      { key: "result", head: t("columns.result"), cell: (entry) => <Result entry={entry} /> },
      {
        key: "ip",
        head: t("columns.ip"),
        cell: (entry) => (entry.ip ? <span className="mono soft">{entry.ip}</span> : <span className="dim">—</span>),
      },
    ],
    [t, codes],
  );
}

function ObjectName({ entry }: { entry: Entry }) {
  const name = useObjectName()(entry);
  return (
    <span className={`strong ${classes.object}`} title={name}>
      {name}
    </span>
  );
}

function PhoneEntry({ entry }: { entry: Entry }) {
  const words = useActionWords();
  return (
    <>
      <div className={classes.phoneLine}>
        <EntryLink entry={entry} className={classes.phoneLink}>
          {words(entry.action)}
        </EntryLink>
        <Result entry={entry} />
      </div>
      <div className={classes.phoneLine}>
        <span className={classes.phoneWho}>
          <Who actor={entry.actor} /> <ObjectName entry={entry} />
        </span>
        <span className={classes.phoneWhen}>
          <When at={entry.at} />
        </span>
      </div>
    </>
  );
}
