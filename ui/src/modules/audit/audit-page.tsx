import { useLocalStorage } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { IconHistory, IconRefresh, IconShieldCheck } from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { toastProblem } from "@/components/state/toast";
import { useSearchState } from "@/components/screen/use-search";
import { entriesQuery, entryQuery, useExport, useVerify } from "./api";
import { Entries } from "./entries";
import { EntryPanel } from "./entry-panel";
import { ExportMenu } from "./export-menu";
import { FilterBar } from "./filter-bar";
import { auditSearch, isFiltered } from "./filter";
import { neighboursOf } from "./neighbours";
import { VerifyCard } from "./verify-card";

export default function AuditPage() {
  const { t } = useTranslation("audit");
  const [codes, setCodes] = useLocalStorage({
    key: "panel-journal-codes",
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const [{ entry, ...filter }, setSearch] = useSearchState(auditSearch);
  const list = useInfiniteQuery(entriesQuery(filter));
  const verify = useVerify();
  const save = useExport(filter);
  const entries = useMemo(() => list.data?.pages.flatMap((page) => page.items), [list.data]);
  const total = list.data?.pages.at(-1)?.total ?? 0;
  const listed = entries?.find((item) => item.id === entry);
  const alone = useQuery({
    ...entryQuery(entry ?? ""),
    enabled: entry !== undefined && listed === undefined && list.data !== undefined,
  });
  const open = (id: string | undefined) => setSearch({ entry: id });
  const clear = () =>
    setSearch({
      q: undefined,
      actor: undefined,
      action: undefined,
      object: undefined,
      result: undefined,
      range: undefined,
      from: undefined,
      to: undefined,
    });
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={t("lead")}
        actions={
          <>
            <Action
              kind="ghost"
              iconOnly
              icon={IconRefresh}
              busy={list.isFetching && !list.isFetchingNextPage}
              onClick={() => void list.refetch()}
            >
              {t("refresh")}
            </Action>
            <ExportMenu
              total={total}
              busy={save.isPending}
              onExport={(format) =>
                save.mutate(format, { onError: (error) => toastProblem(t("export.failed"), error) })
              }
            />
            <Action icon={IconShieldCheck} busy={verify.isPending} onClick={() => verify.mutate()}>
              {t("verify.act")}
            </Action>
          </>
        }
      />
      <VerifyCard verify={verify} onOpen={open} onClose={verify.reset} />
      <FilterBar
        filter={filter}
        onFilter={(change) => setSearch({ ...change, entry: undefined })}
        codes={codes}
        onCodes={setCodes}
      />
      {entries ? (
        <Entries
          entries={entries}
          total={total}
          current={entry}
          codes={codes}
          onOpen={open}
          empty={
            isFiltered(filter) ? (
              <EmptyState title={t("nothing")} act={<Action onClick={clear}>{t("clear")}</Action>}>
                {t("nothingText")}
              </EmptyState>
            ) : (
              <EmptyState icon={IconHistory} title={t("empty")} />
            )
          }
          more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
        />
      ) : list.error ? (
        <ProblemView error={list.error} tried={t("loadFailed")} onRetry={() => void list.refetch()} />
      ) : (
        <Skeleton rows={12} />
      )}
      <EntryPanel
        id={entry}
        entry={listed ?? (alone.data?.id === entry ? alone.data : undefined)}
        error={listed ? null : alone.error}
        neighbours={neighboursOf(entries ?? [], entry)}
        onOpen={open}
        onFilter={(change) => setSearch({ ...change, entry })}
      />
    </>
  );
}
