import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import { useAside, useSentence } from "../shared/sentence";
import type { Case, Finding } from "./api";
import classes from "./cases.module.css";

export interface Numbered extends Finding {
  number: number;
}

/** Findings in the order in which they happened, each with the number that it has in the drawing. */
export function numbered(findings: readonly Finding[]): Numbered[] {
  const order = [...findings].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return order.map((finding, index) => ({ ...finding, number: index + 1 }));
}

const shownFirst = 8;

/** What was found, and what nobody sees of it. */
export function EvidenceCard({ one, findings }: { one: Case; findings: readonly Numbered[] }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const [all, setAll] = useState(false);
  const shown = all ? findings : findings.slice(-shownFirst);
  const earlier = findings.length - shown.length;
  return (
    <Card
      title={t("evidence.card")}
      label={t("evidence.card")}
      aside={t("finding.count", { count: findings.length, shown: format.number(findings.length) })}
      flush
    >
      {earlier > 0 && (
        <div className={classes.more}>
          <Action kind="link" onClick={() => setAll(true)}>
            {t("finding.earlier", { count: earlier })}
          </Action>
        </div>
      )}
      <ol>
        {shown.map((finding) => (
          <FindingRow key={finding.number} finding={finding} nodes={one.nodes} />
        ))}
      </ol>
      {findings.length === 0 && <p className={classes.remark}>{t("finding.none")}</p>}
      {one.incomplete.map(({ node_id: id, node, why, listeners }) => (
        <p key={`${id} ${why}`} className={classes.remark}>
          <Glyph kind="no-data" />
          <span>
            {t(why === "proxy_panel_serves" ? "finding.served" : "finding.unseen", {
              node: node || t("gone"),
              count: listeners,
            })}
          </span>
        </p>
      ))}
    </Card>
  );
}

function FindingRow({ finding, nodes }: { finding: Numbered; nodes: Case["nodes"] }) {
  const format = useFormat();
  const say = useSentence();
  const aside = useAside();
  const node = nodes.find(({ id }) => id === finding.node_id)?.name;
  return (
    <li className={classes.finding}>
      <span className={`${classes.number} num`} aria-hidden>
        {finding.number}
      </span>
      <span>{say(finding)}</span>
      <span className={`${classes.apart} dim num`}>{[aside(finding), node].filter(Boolean).join(", ")}</span>
      <time className="dim num" dateTime={finding.at} title={format.fullMoment(finding.at)}>
        {format.moment(finding.at)}
      </time>
    </li>
  );
}
