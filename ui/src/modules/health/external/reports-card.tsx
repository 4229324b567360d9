import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { RelativeTime } from "@/components/text/relative-time";
import { useBlock } from "../header";
import { useCancelCheck, type Report } from "./api";
import classes from "./external.module.css";
import { useRoubles } from "./money";
import { ReportState } from "./report-state";

/** The newest stored reports, and what each has cost. */
export function ReportsCard({ id, reports }: { id: string; reports: readonly Report[] }) {
  const { t } = useTranslation("health");
  return (
    <Card title={t("external.reports")} aside={t("external.newest")} label={t("external.reports")} flush>
      {reports.length === 0 ? (
        <p className={classes.quiet}>{t("external.noReports")}</p>
      ) : (
        <ul className={classes.reports}>
          {reports.map((report) => (
            <ReportRow key={report.id} id={id} report={report} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function ReportRow({ id, report }: { id: string; report: Report }) {
  const { t } = useTranslation("health");
  const roubles = useRoubles();
  const cancel = useCancelCheck(id);
  const block = useBlock();
  const open = report.state === "queued" || report.state === "running";
  return (
    <li className={classes.report}>
      <span className={classes.what}>
        <ReportState report={report} />
        <span className="mono soft">{report.target}</span>
        <span className="dim">{report.node_name}</span>
        {report.skipped.length > 0 && (
          <span className="dim">{t("external.skipped", { count: report.skipped.length })}</span>
        )}
      </span>
      <span className={classes.cost}>
        {report.cost ? roubles(report.cost.amount) : t("external.upTo", { price: roubles(report.price.amount) })}
      </span>
      <span className={classes.when}>
        <RelativeTime at={report.checked_at ?? report.asked_at} />
        <span className="dim">
          {report.trigger === "manual" ? report.requested_by : t(`external.by.${report.trigger}`)}
        </span>
      </span>
      {open && (
        <Action size="bar" reason={block} busy={cancel.isPending} onClick={() => cancel.mutate(report.id)}>
          {t("external.cancel")}
        </Action>
      )}
    </li>
  );
}
