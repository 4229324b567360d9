import { IconCheck, IconHelpCircle, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Card, Facts } from "@/components/layout/card";
import { Stack } from "@/components/layout/columns";
import { Glyph, Spinner } from "@/components/status/glyph";
import { useNow } from "@/components/text/use-now";
import { formatCountdown } from "@/text/format";
import { useFormat } from "@/text/use-format";
import classes from "./add-node.module.css";
import type { Tick } from "./enroll-ticks";
import type { Enrollment, NodeDetail } from "../shared/types";

const helpAfter = 120;

/** The live echo of the command: each tick has a time and a fact. */
export function LiveTicks({
  node,
  ticks,
  since,
  enrollment,
}: {
  node: NodeDetail | undefined;
  ticks: Tick[];
  since: number | undefined;
  enrollment: Enrollment | undefined;
}) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const now = useNow();
  const waited = since === undefined ? 0 : Math.max(0, (now - since) / 1000);
  const silent = node !== undefined && node.agent.enrolled_at === null;
  const listening = node !== undefined && ticks.some((tick) => tick.state === "running");
  return (
    <Stack>
      <Card
        title={t("live.title")}
        right={
          listening && (
            <>
              <Glyph kind="healthy" size={10} />
              <span className="num">
                {since === undefined ? t("live.listening") : t("live.listeningFor", { time: formatCountdown(waited) })}
              </span>
            </>
          )
        }
        flush
      >
        <ol className={classes.ticks} aria-live="polite">
          {ticks.map((tick) => (
            <li key={tick.key} data-state={node ? tick.state : "waiting"}>
              <TickMark state={node ? tick.state : "waiting"} />
              <span className={classes.tickName}>{t(`tick.${tick.key}`)}</span>
              <span className={`${classes.tickTime} num`}>{tick.at && format.clock(tick.at, true)}</span>
              <span className={classes.tickFact}>{tickFact(tick, node, t, enrollment)}</span>
            </li>
          ))}
        </ol>
      </Card>
      {node?.metrics && (
        <Card title={t("numbers.title")} aside={t("numbers.from", { name: node.name })}>
          <Facts
            items={[
              { name: t("numbers.cpu"), value: format.percent(node.metrics.cpu_pct) },
              {
                name: t("numbers.memory"),
                value: t("ofTotal", {
                  used: format.bytes(node.metrics.mem_used),
                  total: format.bytes(node.metrics.mem_total),
                }),
              },
              {
                name: t("numbers.disk"),
                value: t("ofTotal", {
                  used: format.bytes(node.metrics.disk_used),
                  total: format.bytes(node.metrics.disk_total),
                }),
              },
              {
                name: t("numbers.clock"),
                value: `${format.number(node.agent.clock_skew_ms / 1000, 1)} ${t("seconds")}`,
              },
            ]}
            nameWidth={124}
          />
        </Card>
      )}
      {silent && waited > helpAfter && (
        <div className={classes.help} role="status">
          <IconHelpCircle size={16} stroke={1.6} aria-hidden />
          <div>
            <p>{t("help.text", { panel: enrollment ? new URL(enrollment.install.url).host : window.location.host })}</p>
            <ul>
              <li>{t("help.reach")}</li>
              <li>{t("help.clock")}</li>
              <li>
                {t("help.logs")} <code>journalctl -u panel-agent -n 50</code>
              </li>
            </ul>
          </div>
        </div>
      )}
    </Stack>
  );
}

function TickMark({ state }: { state: Tick["state"] }) {
  const { t } = useTranslation("nodes");
  if (state === "done") return <IconCheck size={16} stroke={2} className={classes.tick} aria-label={t("new.done")} />;
  if (state === "failed") return <IconX size={16} stroke={2} className={classes.cross} aria-label={t("new.problem")} />;
  if (state === "running") return <Spinner label={t("new.running")} />;
  return <span className={classes.dot} aria-hidden />;
}

function tickFact(
  tick: Tick,
  node: NodeDetail | undefined,
  t: (key: string, values?: Record<string, unknown>) => string,
  enrollment: Enrollment | undefined,
): string {
  if (tick.state === "waiting" || tick.state === "running" || !node) return t(`tickWait.${tick.key}`);
  switch (tick.key) {
    case "enrolled":
      return enrollment ? t("tickFact.enrolled") : "";
    case "installed":
      return [node.agent.version, node.agent.os, node.agent.arch].filter(Boolean).join(", ");
    case "core":
      return node.core.state === "failed"
        ? node.core.error.split("\n")[0]!
        : [node.core.kind, node.core.version].filter(Boolean).join(" ") || t(`core.${node.core.state}`);
    case "telemetry":
      return t("tickFact.telemetry");
    case "clock":
      return t(tick.state === "failed" ? "tickFact.clockOff" : "tickFact.clock", {
        seconds: (node.agent.clock_skew_ms / 1000).toFixed(1),
      });
  }
}
