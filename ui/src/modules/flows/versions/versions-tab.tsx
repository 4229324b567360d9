import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { IconArrowsLeftRight, IconBookmark } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { Segmented } from "@/components/form/segmented";
import { toastDone, toastProblem } from "@/components/state/toast";
import { useFormat } from "@/text/use-format";
import { useKeepVersion, versionQuery, versionsQuery, type Version } from "../shared/api";
import type { Autosave } from "../editor/draft/autosave";
import { CompareTable, useCompareCounts } from "./compare-table";
import { useDrawing, useEditor } from "../editor/editor-context";
import editor from "../editor/editor.module.css";
import { BypassMark } from "../shared/flow-states";
import { personName } from "../shared/person-name";
import { RollBack } from "./roll-back";
import type { Saving } from "../editor/draft/saving";
import { chosenPair, draftId } from "./version-pair";
import classes from "./versions.module.css";

type Filter = "all" | "applied" | "kept";

/** The time line of a flow, any two of its versions side by side, and the way back. */
export default function VersionsTab({ saving, autosave }: { saving: Saving; autosave: Autosave }) {
  const { t } = useTranslation("flows");
  const { flow, closed } = useEditor();
  const query = useInfiniteQuery(versionsQuery(flow.id));
  const [filter, setFilter] = useState<Filter>("all");
  const [pair, setPair] = useState<{ a?: string; b?: string }>({});
  const keep = useKeepVersion(flow.id);
  const all = query.data?.pages.flatMap((page) => page.items) ?? [];
  const shown = all.filter(
    (version) => filter === "all" || (filter === "applied" ? version.applied : !version.applied),
  );
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
  const b = pair.b ?? (all.find((version) => version.installed)?.id || draftId);
  const a =
    pair.a ??
    all.find((version) => version.id !== b && version.applied)?.id ??
    all.find((version) => version.id !== b)?.id;
  const pick = (id: string) => setPair(chosenPair({ a, b }, id));
  const onKeep = () => {
    const save = async () => {
      await autosave.flush();
      await keep.mutateAsync("");
    };
    save().then(
      () => toastDone(t("versions.kept")),
      (error: unknown) => toastProblem(t("versions.keepFailed"), error),
    );
  };
  return (
    <div className={`${editor.page} ${classes.page}`}>
      <Card
        flush
        title={t("versions.title")}
        aside={t("versions.newest", { count: query.data.pages[0]!.total })}
        right={
          <Segmented<Filter>
            label={t("versions.filter")}
            value={filter}
            onChange={setFilter}
            options={[
              { value: "all", label: t("versions.all") },
              { value: "applied", label: t("versions.applied") },
              { value: "kept", label: t("versions.keptFilter") },
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
            <Action size="bar" kind="ghost" icon={IconBookmark} busy={keep.isPending} onClick={onKeep} reason={closed}>
              {t("versions.keep")}
            </Action>
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
        {query.hasNextPage && (
          <div className={classes.more}>
            <Action size="bar" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
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
    </div>
  );
}

function VersionRow({
  version,
  side,
  onPick,
  onB,
}: {
  version: Version;
  side: "A" | "B" | undefined;
  onPick: () => void;
  onB: () => void;
}) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const who = personName(version.created_by);
  return (
    <li className={classes.row} data-side={side}>
      <button
        type="button"
        className={classes.pick}
        aria-pressed={side !== undefined}
        onClick={(event) => (event.shiftKey ? onB() : onPick())}
      >
        <span
          className={classes.mark}
          data-installed={version.installed || undefined}
          data-applied={version.applied || undefined}
          aria-hidden
        />
        <span className={classes.words}>
          <span className={classes.line}>
            <b>v{version.number}</b>
            {version.installed && <span className={classes.installed}>{t("versions.installed")}</span>}
            <span className="soft">{version.note || t(`versions.reason.${version.reason}`)}</span>
          </span>
          <span className={classes.meta}>
            {t("versions.when", { moment: format.moment(version.created_at) })}
            {who && ` ${t("by", { who })}`}
            <BypassMark checks={version.bypassed_checks} words />
          </span>
        </span>
        <Side side={side} />
      </button>
    </li>
  );
}

function Side({ side }: { side: "A" | "B" | undefined }) {
  return side ? <span className={classes.letter}>{side}</span> : <span className={classes.circle} aria-hidden />;
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
