import { useTranslation } from "react-i18next";
import { Progress } from "@/components/chart/spark";
import { Card } from "@/components/layout/card";
import { useFormat } from "@/text/use-format";
import classes from "./node.module.css";
import type { NodeDetail } from "../shared/types";

/** What the node has carried in its month, and how much of what its hoster allows that is. */
export function TrafficCard({ traffic }: { traffic: NodeDetail["traffic"] }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const { limit_bytes: limit, used_bytes: used } = traffic;
  const part = limit ? Math.floor((100 * used) / limit) : 0;
  return (
    <Card title={t("traffic.title")}>
      <div className={classes.month}>
        <p>
          <span className="strong num">{format.bytes(used)}</span>{" "}
          <span className="soft num">
            {limit ? t("traffic.of", { limit: format.bytes(limit), part: format.percent(part) }) : t("traffic.noLimit")}
          </span>
        </p>
        {limit && (
          <Progress
            percent={part}
            label={t("traffic.used")}
            {...(part >= traffic.notify_pct && { tone: part >= 100 ? "crit" : "warn" })}
          />
        )}
        <p className="dim">
          {traffic.since && `${t("traffic.since", { when: format.date(traffic.since) })}, `}
          {t("traffic.resets", { when: format.date(traffic.resets_at) })}
        </p>
      </div>
    </Card>
  );
}
