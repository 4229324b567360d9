import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { Progress } from "@/components/chart/spark";
import { Card } from "@/components/layout/card";
import { Glyph, Spinner, type GlyphKind } from "@/components/status/glyph";
import { RelativeTime } from "@/components/text/relative-time";
import { appliesQuery, jobsQuery, recentWork, type Applied, type Job } from "./api";
import classes from "./recent-work.module.css";

const jobGlyphs: Record<Job["state"], GlyphKind> = {
  queued: "waiting",
  running: "applying",
  succeeded: "healthy",
  failed: "failed",
  cancelled: "skipped",
};

/** What was installed last, and the work that goes on or ended just now. */
export function RecentWork() {
  const { t } = useTranslation("overview");
  const { can } = useAccess();
  const seesFlows = can("connection_units.view");
  const jobs = useQuery(jobsQuery).data ?? [];
  const applies = useQuery({ ...appliesQuery, enabled: seesFlows }).data ?? [];
  const work = recentWork(jobs, applies);
  return (
    <Card
      title={t("work.title")}
      right={
        can("audit.view") && (
          <Link to="/audit" search={{ action: "flow.*" }}>
            {t("work.journal")}
          </Link>
        )
      }
      flush
    >
      {work.length === 0 ? (
        <p className={classes.none}>{t(seesFlows ? "work.none" : "work.noneSeen")}</p>
      ) : (
        <ul>
          {work.map((one) =>
            "job" in one ? <JobRow key={one.id} job={one.job} /> : <AppliedRow key={one.id} flow={one.flow} />,
          )}
        </ul>
      )}
    </Card>
  );
}

function JobRow({ job }: { job: Job }) {
  const { t } = useTranslation(["overview", "words"]);
  const name = t(`words:job.${job.kind}`, { defaultValue: job.kind });
  const running = job.state === "running";
  return (
    <li className={classes.row}>
      {running ? <Spinner size={12} /> : <Glyph kind={jobGlyphs[job.state]} />}
      <span className={classes.words}>
        <span className={classes.name}>
          <b>{name}</b> <span className="dim">{job.about.name}</span>
        </span>
        {running && <Progress percent={job.progress} label={t("work.progress", { name })} />}
      </span>
      <span className={`${classes.when} num`}>
        <RelativeTime at={job.finished_at ?? job.created_at} bare />
      </span>
    </li>
  );
}

function AppliedRow({ flow }: { flow: Applied }) {
  const { t } = useTranslation("overview");
  const path = flow.last_apply_id ? `/flows/${flow.id}/applies/${flow.last_apply_id}` : `/flows/${flow.id}`;
  const glyph =
    flow.state === "applying"
      ? "applying"
      : flow.state === "apply_failed"
        ? "failed"
        : flow.bypassed > 0
          ? "bypassed"
          : "in-sync";
  return (
    <li className={classes.row}>
      <Glyph kind={glyph} />
      <span className={classes.name}>
        <Link to={path} className="strong">
          {flow.version === null ? flow.name : `${flow.name} v${flow.version}`}
        </Link>{" "}
        <span className="dim">
          {flow.state === "apply_failed"
            ? t("work.failed")
            : flow.bypassed > 0
              ? t("work.bypassed", { count: flow.bypassed })
              : ""}
        </span>
      </span>
      <span className={`${classes.when} num`}>{flow.at && <RelativeTime at={flow.at} bare />}</span>
    </li>
  );
}
