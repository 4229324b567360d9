import { useQuery } from "@tanstack/react-query";
import { IconChecks, IconGitCompare } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { Card } from "@/components/layout/card";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, viewState } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import { Status, Tag } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import classes from "../proxypanel.module.css";
import { driftQuery, useCompare, useSettle, type Drift } from "./api";
import { PanelPage, useBlock, useConnectionId } from "./panel-page";

/** What stands in a proxy panel otherwise than an apply has written it: each object, its fields, and two ways out. */
export default function DriftPage() {
  const id = useConnectionId();
  return <PanelPage current="drift">{() => <Drifts connectionId={id} />}</PanelPage>;
}

function Drifts({ connectionId }: { connectionId: string }) {
  const { t } = useTranslation("proxypanel");
  const state = viewState(useQuery(driftQuery(connectionId)));
  const compare = useCompare(connectionId);
  const block = useBlock();
  if (state.kind === "loading") return <Skeleton rows={5} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} onRetry={state.retry} tried={t("panel.loadFailed")} />;
  const { items, looked_at: at } = state.data;
  const objects = byObject(items);
  return (
    <>
      <div className={classes.tools}>
        <span className="soft">
          {at === null ? (
            t("drift.never")
          ) : (
            <>
              {t("drift.looked")} <RelativeTime at={at} />
            </>
          )}
        </span>
        <Action
          size="bar"
          icon={IconGitCompare}
          busy={compare.isPending}
          reason={block}
          onClick={() => compare.mutate()}
        >
          {t("drift.compare")}
        </Action>
      </div>
      {compare.error !== null && <ProblemNote error={compare.error} />}
      {objects.length === 0 && (
        <EmptyState icon={IconChecks} title={t(at === null ? "drift.unknown" : "drift.none")}>
          {t("drift.noneText")}
        </EmptyState>
      )}
      <div className={classes.list}>
        {objects.map(([object, fields]) => (
          <ObjectCard key={object} connectionId={connectionId} object={object} fields={fields} block={block} />
        ))}
      </div>
    </>
  );
}

/** What differs, by its objects in their order. */
function byObject(items: Drift[]): [string, Drift[]][] {
  const found = new Map<string, Drift[]>();
  for (const one of items) found.set(one.object, [...(found.get(one.object) ?? []), one]);
  return [...found];
}

interface ObjectCardProps {
  connectionId: string;
  object: string;
  fields: Drift[];
  block: string | undefined;
}

function ObjectCard({ connectionId, object, fields, block }: ObjectCardProps) {
  const { t } = useTranslation("proxypanel");
  const [act, setAct] = useState<"adopt" | "overwrite">();
  const [first] = fields;
  if (!first) return null;
  const gone = fields.some(({ field }) => field === "gone");
  return (
    <Card label={first.name} className={classes.card}>
      <div className={classes.head}>
        <div className={classes.title}>
          <h2 className="strong">
            {first.name} <Tag>{t(`drift.kind.${first.kind}`)}</Tag>
          </h2>
          <span className="dim">
            {t("drift.since")} <RelativeTime at={first.since} />
          </span>
        </div>
        <Status kind="drifted">{gone ? t("drift.gone") : t("drift.fields", { count: fields.length })}</Status>
        <div className={classes.headActs}>
          {fields.every(({ adoptable }) => adoptable) && (
            <Action size="bar" reason={block} onClick={() => setAct("adopt")}>
              {t("drift.adopt.act")}
            </Action>
          )}
          <Action size="bar" reason={block} onClick={() => setAct("overwrite")}>
            {t("drift.overwrite.act")}
          </Action>
        </div>
      </div>
      {!gone && <Fields fields={fields} />}
      {act && (
        <SettleDialog
          connectionId={connectionId}
          object={object}
          name={first.name}
          act={act}
          restarts={first.kind === "profile" || first.kind === "node"}
          onClose={() => setAct(undefined)}
        />
      )}
    </Card>
  );
}

/** What was written and what is there, field by field. */
function Fields({ fields }: { fields: Drift[] }) {
  const { t } = useTranslation("proxypanel");
  return (
    // A scrolled region must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.scroll} role="region" aria-label={t("drift.table")} tabIndex={0}>
      <table className={classes.fieldsTable}>
        <thead>
          <tr>
            <th scope="col">{t("drift.field")}</th>
            <th scope="col">{t("drift.ours")}</th>
            <th scope="col">{t("drift.theirs")}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ field, ours, theirs }) => (
            <tr key={field}>
              <th scope="row" className="mono">
                {field}
              </th>
              <td className="mono" data-side="ours">
                {ours || <span className="dim">{t("drift.absent")}</span>}
              </td>
              <td className="mono" data-side="theirs">
                {theirs || <span className="dim">{t("drift.absent")}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SettleProps {
  connectionId: string;
  object: string;
  name: string;
  act: "adopt" | "overwrite";
  /** The proxy panel restarts its core for it. */
  restarts: boolean;
  onClose: () => void;
}

function SettleDialog({ connectionId, object, name, act, restarts, onClose }: SettleProps) {
  const { t } = useTranslation("proxypanel");
  const settle = useSettle(connectionId, act);
  const done = () => {
    toastDone(t(`drift.${act}.done`, { name }));
    onClose();
  };
  return (
    <Confirm
      opened
      danger={act === "overwrite" && restarts}
      onClose={onClose}
      onConfirm={() => settle.mutate(object, { onSuccess: done })}
      title={t(`drift.${act}.title`, { name })}
      verb={t(`drift.${act}.act`)}
      busy={settle.isPending}
      error={settle.error}
      consequences={[t(`drift.${act}.text`), ...(act === "overwrite" && restarts ? [t("drift.restarts")] : [])]}
    />
  );
}
