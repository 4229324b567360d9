import { Select } from "@mantine/core";
import { IconChartBar, IconTable } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { ProblemNote } from "@/components/state/problem-view";
import { useFormat } from "@/text/use-format";
import classes from "../backups.module.css";
import { sizesQuery, type Profile, type Run } from "../shared/api";

interface SizesProps {
  profiles: readonly Profile[];
  chosen: string | undefined;
  onChoose: (profile: string) => void;
}

/** How the size of a profile's backups went: a backup that is suddenly small is as telling as one that failed. */
export function SizesCard({ profiles, chosen, onChoose }: SizesProps) {
  const { t } = useTranslation("backups");
  const shown = profiles.find(({ id }) => id === chosen) ?? profiles[0];
  const sizes = useQuery({ ...sizesQuery(shown?.id ?? ""), enabled: shown !== undefined });
  if (!shown) return null;
  const runs = (sizes.data ?? []).filter(({ artefact }) => artefact !== null).reverse();
  const choose = profiles.length > 1 && (
    <Select
      size="xs"
      aria-label={t("runs.profile")}
      data={profiles.map(({ id, name }) => ({ value: id, label: name }))}
      value={shown.id}
      onChange={(id) => id && onChoose(id)}
      allowDeselect={false}
    />
  );
  if (sizes.error)
    return (
      <Card title={t("sizes.title")} right={choose}>
        <ProblemNote error={sizes.error} />
      </Card>
    );
  return <Sizes name={shown.name} runs={runs} choose={choose} />;
}

interface DrawingProps {
  name: string;
  /** Oldest first; each has written something. */
  runs: readonly Run[];
  choose: ReactNode;
}

function Sizes({ name, runs, choose }: DrawingProps) {
  const { t } = useTranslation("backups");
  const { t: app } = useTranslation("app");
  const format = useFormat();
  const [asTable, setAsTable] = useState(false);
  const [at, setAt] = useState<number>();
  const read = runs[at ?? runs.length - 1];
  return (
    <Card
      title={t("sizes.title")}
      aside={
        read && (
          <span className="num">
            {format.moment(read.created_at)} · {format.bytes(read.artefact?.bytes ?? 0)}
          </span>
        )
      }
      right={
        <>
          {choose}
          {runs.length > 0 && (
            <Action
              kind="ghost"
              size="bar"
              iconOnly
              icon={asTable ? IconChartBar : IconTable}
              onClick={() => setAsTable(!asTable)}
            >
              {asTable ? app("chart.asChart") : app("chart.asTable")}
            </Action>
          )}
        </>
      }
    >
      {runs.length === 0 ? (
        <p className="dim">{t("sizes.none")}</p>
      ) : asTable ? (
        <SizesTable name={name} runs={runs} />
      ) : (
        <Bars name={name} runs={runs} onLook={setAt} />
      )}
    </Card>
  );
}

/** One bar for each backup; the one under the pointer is read out in the head of the card. */
function Bars({
  name,
  runs,
  onLook,
}: {
  name: string;
  runs: readonly Run[];
  onLook: (at: number | undefined) => void;
}) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const largest = Math.max(1, ...runs.map(({ artefact }) => artefact?.bytes ?? 0));
  const newest = runs.at(-1)?.artefact?.bytes ?? 0;
  const summary = t("sizes.summary", { name, count: runs.length, size: format.bytes(newest) });
  return (
    <div className={classes.sizes}>
      <span className={`${classes.scale} num`} aria-hidden>
        {format.bytes(largest)}
      </span>
      <div className={classes.bars} role="img" aria-label={summary} onPointerLeave={() => onLook(undefined)}>
        {runs.map((run, index) => (
          <div key={run.id} className={classes.barPlace} onPointerEnter={() => onLook(index)}>
            <div
              className={classes.bar}
              data-state={run.state}
              style={{ height: `${Math.max(2, ((run.artefact?.bytes ?? 0) / largest) * 100)}%` }}
            />
          </div>
        ))}
      </div>
      <div className={`${classes.ends} num`} aria-hidden>
        <span>{format.moment(runs[0]!.created_at)}</span>
        {runs.length > 1 && <span>{format.moment(runs.at(-1)!.created_at)}</span>}
      </div>
    </div>
  );
}

function SizesTable({ name, runs }: { name: string; runs: readonly Run[] }) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  return (
    // A region that scrolls must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.sizesTable} role="region" aria-label={`${t("sizes.title")}: ${name}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("runs.when")}</th>
            <th scope="col">{t("runs.state")}</th>
            <th scope="col">{t("runs.size")}</th>
          </tr>
        </thead>
        <tbody>
          {runs.toReversed().map((run) => (
            <tr key={run.id}>
              <th scope="row">{format.moment(run.created_at)}</th>
              <td>{t(`state.${run.state}`)}</td>
              <td className="num">{format.bytes(run.artefact?.bytes ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
