import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Menu } from "@mantine/core";
import { IconArrowsLeftRight, IconBookmark, IconDownload } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { Segmented } from "@/components/form/segmented";
import { toastDone } from "@/components/state/toast";
import { useFormat } from "@/text/use-format";
import { versionQuery, type Version } from "../shared/api";
import { useKeepVersion, versionsQuery } from "./api";
import type { Autosave } from "../editor/draft/autosave";
import { CompareTable, useCompareCounts } from "./compare-table";
import { useDrawing, useEditor } from "../editor/editor-context";
import editor from "../editor/editor.module.css";
import { personName } from "../shared/person-name";
import { RollBack } from "./roll-back";
import type { Saving } from "../editor/draft/saving";
import { NameVersion } from "./name-version";
import { saveDrawing } from "./save-drawing";
import { chosenPair, draftId } from "./version-pair";
import { Side, VersionRow } from "./version-row";
import classes from "./versions.module.css";

const filters = {
  all: () => true,
  applied: (version: Version) => version.applied,
  kept: (version: Version) => !version.applied,
  pinned: (version: Version) => version.pinned,
};
type Filter = keyof typeof filters;

/** The time line of a flow, any two of its versions side by side, and the way back. */
export default function VersionsTab({ saving, autosave }: { saving: Saving; autosave: Autosave }) {
  const { t } = useTranslation("flows");
  const { flow, closed, changes } = useEditor();
  const query = useInfiniteQuery(versionsQuery(flow.id));
  const [filter, setFilter] = useState<Filter>("all");
  const [pair, setPair] = useState<{ a?: string; b?: string }>({});
  const [naming, setNaming] = useState(false);
  const keep = useKeepVersion(flow.id);
  const drawing = useDrawing();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  // A filter that looked only at the newest versions would hide what it is asked for.
  useEffect(() => {
    if (filter !== "all" && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [filter, hasNextPage, isFetchingNextPage, fetchNextPage]);
  const all = query.data?.pages.flatMap((page) => page.items) ?? [];
  const shown = all.filter(filters[filter]);
  if (query.error && !query.data)
    return (
      <div className={editor.page}>
        <ProblemView error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  if (!query.data)
    return (
      <div className={editor.page}>
        <Skeleton rows={8} />
      </div>
    );
  // What a reader asks first: what would change, else what the last apply changed.
  const installed = all.find((version) => version.installed)?.id;
  const b = pair.b ?? (changes?.length === 0 ? installed : undefined) ?? draftId;
  const a =
    pair.a ??
    (b === draftId ? installed : undefined) ??
    all.find((version) => version.id !== b && version.applied)?.id ??
    all.find((version) => version.id !== b)?.id;
  const pick = (id: string) => setPair(chosenPair({ a, b }, id));
  const onKeep = async (note: string) => {
    await autosave.flush();
    await keep.mutateAsync(note);
    toastDone(t("versions.kept"));
  };
  return (
    <div className={`${editor.page} ${classes.page}`}>
      <Card
        flush
        title={t("versions.title")}
        aside={query.data.pages[0]!.total}
        right={
          <Segmented<Filter>
            label={t("versions.filter")}
            value={filter}
            onChange={setFilter}
            options={[
              { value: "all", label: t("versions.all") },
              { value: "applied", label: t("versions.applied") },
              { value: "kept", label: t("versions.keptFilter") },
              { value: "pinned", label: t("versions.pinned") },
            ]}
          />
        }
      >
        <ul>
          <li className={classes.draft}>
            <button
              type="button"
              className={classes.pick}
              data-side={b === draftId ? "B" : undefined}
              onClick={() => setPair({ a, b: draftId })}
            >
              <span className={classes.words}>
                <span className={classes.line}>
                  <b>{t("versions.draft")}</b> <span className="soft">r{flow.draft_revision}</span>
                </span>
                <span className={classes.meta}>{t("versions.draftText")}</span>
              </span>
              <Side side={b === draftId ? "B" : undefined} />
            </button>
            <Action size="bar" kind="ghost" icon={IconBookmark} onClick={() => setNaming(true)} reason={closed}>
              {t("versions.keep")}
            </Action>
            <RowMenu name={t("versions.draft")}>
              <Menu.Item
                leftSection={<IconDownload size={15} stroke={1.6} aria-hidden />}
                onClick={() => saveDrawing(flow.name, `r${flow.draft_revision}`, drawing)}
              >
                {t("versions.download")}
              </Menu.Item>
            </RowMenu>
          </li>
          {shown.map((version) => (
            <VersionRow
              key={version.id}
              version={version}
              side={version.id === a ? "A" : version.id === b ? "B" : undefined}
              onPick={() => pick(version.id)}
              onB={() => setPair({ a: a === version.id ? undefined : a, b: version.id })}
            />
          ))}
        </ul>
        {all.length === 0 && <EmptyState title={t("versions.none")}>{t("versions.noneText")}</EmptyState>}
        {all.length > 0 && shown.length === 0 && !hasNextPage && (
          <p className={`soft ${classes.more}`}>{t(`versions.nothing.${filter}`)}</p>
        )}
        {hasNextPage && (
          <div className={classes.more}>
            <Action size="bar" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t("versions.more")}
            </Action>
          </div>
        )}
      </Card>
      {a && (
        <div className={classes.side}>
          <Compare a={a} b={b} all={all} onSwap={b === draftId ? undefined : () => setPair({ a: b, b: a })} />
          <RollBack
            version={all.find((version) => version.id === a) ?? all[0]!}
            versions={all}
            saving={saving}
            autosave={autosave}
          />
        </div>
      )}
      {naming && <NameVersion title={t("versions.keep")} onClose={() => setNaming(false)} onSave={onKeep} />}
    </div>
  );
}

function Compare({ a, b, all, onSwap }: { a: string; b: string; all: Version[]; onSwap: (() => void) | undefined }) {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const format = useFormat();
  const drawing = useDrawing();
  const left = useQuery(versionQuery(flow.id, a));
  const right = useQuery(versionQuery(flow.id, b === draftId ? undefined : b));
  const [graphA, graphB] = [left.data?.graph, b === draftId ? drawing : right.data?.graph];
  const counts = useCompareCounts(graphA, graphB);
  const nameOf = (id: string) => {
    const version = all.find((item) => item.id === id);
    return version
      ? `v${version.number}, ${[personName(version.created_by), format.date(version.created_at)].filter(Boolean).join(", ")}`
      : t("versions.draft");
  };
  const short = (id: string) =>
    id === draftId ? t("versions.theDraft") : `v${all.find((item) => item.id === id)?.number ?? ""}`;
  const failed = left.error ?? right.error;
  return (
    <Card
      flush
      title={t("versions.compare", { a: short(a), b: short(b) })}
      aside={counts}
      right={
        onSwap && (
          <Action kind="ghost" size="bar" iconOnly icon={IconArrowsLeftRight} onClick={onSwap}>
            {t("versions.swap")}
          </Action>
        )
      }
    >
      {failed ? (
        <ProblemView error={failed} onRetry={() => void Promise.all([left.refetch(), right.refetch()])} />
      ) : graphA && graphB ? (
        <CompareTable a={graphA} b={graphB} nameA={nameOf(a)} nameB={nameOf(b)} />
      ) : (
        <Skeleton rows={4} />
      )}
    </Card>
  );
}
