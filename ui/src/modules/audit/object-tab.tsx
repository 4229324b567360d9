import { IconHistory, IconRefresh } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { Action } from "@/components/action/action";
import { useSearchState } from "@/components/screen/use-search";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { entriesQuery, entryQuery } from "./api";
import classes from "./audit.module.css";
import { Entries } from "./entries";
import { EntryPanel } from "./entry-panel";
import { auditSearch } from "./filter";
import { neighboursOf } from "./neighbours";

const search = z.object({ entry: auditSearch.shape.entry });

/** What was done to one object, and what befell it, newest first: the journal without everything else. */
export default function ObjectTab({ id }: { id: string }) {
  const { t } = useTranslation("audit");
  const [{ entry }, setSearch] = useSearchState(search);
  const navigate = useNavigate();
  const list = useInfiniteQuery(entriesQuery({ object: id }));
  const entries = useMemo(() => list.data?.pages.flatMap((page) => page.items), [list.data]);
  const listed = entries?.find((item) => item.id === entry);
  const alone = useQuery({
    ...entryQuery(entry ?? ""),
    enabled: entry !== undefined && listed === undefined && list.data !== undefined,
  });
  const open = (next: string | undefined) => setSearch({ entry: next });
  if (!entries)
    return list.error ? (
      <ProblemView error={list.error} tried={t("loadFailed")} onRetry={() => void list.refetch()} />
    ) : (
      <Skeleton rows={6} />
    );
  return (
    <>
      <div className={classes.toJournal}>
        <Link to="/audit" search={{ object: id }}>
          {t("inJournal")}
        </Link>
        <Action
          kind="ghost"
          size="bar"
          iconOnly
          icon={IconRefresh}
          busy={list.isFetching && !list.isFetchingNextPage}
          onClick={() => void list.refetch()}
        >
          {t("refresh")}
        </Action>
      </div>
      <Entries
        entries={entries}
        total={list.data?.pages.at(-1)?.total ?? 0}
        current={entry}
        codes={false}
        oneObject
        onOpen={open}
        empty={<EmptyState icon={IconHistory} title={t("emptyObject")} />}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
      />
      <EntryPanel
        id={entry}
        entry={listed ?? (alone.data?.id === entry ? alone.data : undefined)}
        error={listed ? null : alone.error}
        neighbours={neighboursOf(entries, entry)}
        onOpen={open}
        onFilter={(change) => void navigate({ to: "/audit", search: change })}
      />
    </>
  );
}
