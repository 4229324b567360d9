import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { EmptyState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import type { Report } from "./api";
import classes from "./external.module.css";
import { matrixOf, newestDone, type Cell } from "./matrix";

/** What the operators of each district reach, by the newest reports. */
export function MatrixCard({ reports }: { reports: readonly Report[] }) {
  const { t } = useTranslation("health");
  const { regions, rows } = matrixOf(reports);
  const newest = newestDone(reports)[0];
  return (
    <Card
      title={t("external.matrix")}
      label={t("external.matrix")}
      aside={newest?.checked_at && <RelativeTime at={newest.checked_at} />}
      flush
    >
      {rows.length === 0 ? (
        <EmptyState title={t("external.noMatrix")}>{t("external.noMatrixText")}</EmptyState>
      ) : (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so keys must reach it
        <div className={classes.scroll} tabIndex={0} role="group" aria-label={t("external.matrix")}>
          <table className={classes.matrix}>
            <thead>
              <tr>
                <th scope="col">{t("external.operator")}</th>
                {regions.map((region) => (
                  <th key={region} scope="col">
                    {region.toLocaleUpperCase()}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ operator, whitelist, cells }) => (
                <tr key={`${operator} ${whitelist}`}>
                  <th scope="row">
                    {operator}
                    <span className="dim">{t(whitelist ? "external.listOn" : "external.listOff")}</span>
                  </th>
                  {cells.map((cell, at) => (
                    <td key={regions[at]}>
                      <Reached cell={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

function Reached({ cell: { leg, reached, asked } }: { cell: Cell }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  if (!leg) return <span className="dim">–</span>;
  if (reached < asked)
    return (
      <Status kind={reached === 0 ? "down" : "degraded"} inTable>
        {asked > 1 ? `${reached}/${asked}` : t("external.blocked")}
      </Status>
    );
  return (
    <Status kind="healthy" inTable>
      {leg.latency_ms === null
        ? t("external.reached")
        : t("external.ms", { count: Number(format.number(leg.latency_ms, 0)) })}
    </Status>
  );
}
