import type { UseMutationResult } from "@tanstack/react-query";
import { IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action";
import { Glyph, type GlyphKind } from "@/components/glyph";
import { ProblemView } from "@/components/problem-view";
import { useFormat } from "@/text/use-format";
import type { Finding, Report } from "./api";
import classes from "./audit.module.css";

/** The proof of the journal, and where it breaks each entry by number. */
export function VerifyCard({ verify, onOpen, onClose }: { verify: Pick<UseMutationResult<Report, Error, void>, "data" | "error" | "mutate">; onOpen: (id: string) => void; onClose: () => void }) {
  const { t } = useTranslation("audit");
  if (verify.error)
    return (
      <div className={classes.proof}>
        <ProblemView error={verify.error} tried={t("verify.failed")} onRetry={() => verify.mutate()} />
      </div>
    );
  if (!verify.data) return null;
  return <Proof report={verify.data} onOpen={onOpen} onClose={onClose} />;
}

function verdictOf(report: Report): { word: "intact" | "broken" | "partly"; glyph: GlyphKind; tone: string } {
  if (report.intact) return { word: "intact", glyph: "healthy", tone: "ok" };
  if (report.findings.some((finding) => finding.kind !== "unmarked")) return { word: "broken", glyph: "down", tone: "crit" };
  return { word: "partly", glyph: "degraded", tone: "warn" };
}

function Proof({ report, onOpen, onClose }: { report: Report; onOpen: (id: string) => void; onClose: () => void }) {
  const { t } = useTranslation("audit");
  const format = useFormat();
  const { word, glyph, tone } = verdictOf(report);
  const breaks = report.findings.filter((finding) => finding.kind !== "unmarked").length;
  return (
    <section className={`${classes.proof} ${classes.card}`} data-tone={tone} role="status" aria-label={t("verify.label")}>
      <div className={classes.proofHead}>
        <Glyph kind={glyph} size={14} />
        <p>
          <b>{t(`verify.${word}`, { count: breaks })}</b>{" "}
          <span className="soft">
            {t("verify.checked", { count: report.checked, number: format.number(report.checked), first: report.first_seq, last: report.last_seq })} {t("verify.heads", { count: report.heads })}
            {report.unsealed > 0 && ` ${t("verify.unsealed", { count: report.unsealed })}`} {t("verify.at", { time: format.clock(report.checked_at, true) })}
          </span>
        </p>
        <Action kind="ghost" size="bar" iconOnly icon={IconX} onClick={onClose}>
          {t("close")}
        </Action>
      </div>
      {report.head && (
        <p className={`mono dim ${classes.head}`}>
          {t("verify.head")} {report.head}
        </p>
      )}
      {report.findings.length > 0 && (
        <ul className={classes.findings}>
          {report.findings.map((finding, index) => (
            <FindingRow key={`${finding.kind}-${finding.seq}-${index}`} finding={finding} onOpen={onOpen} />
          ))}
        </ul>
      )}
    </section>
  );
}

function FindingRow({ finding, onOpen }: { finding: Finding; onOpen: (id: string) => void }) {
  const { t } = useTranslation("audit");
  const place = finding.last_seq > finding.seq ? t("verify.run", { first: finding.seq, last: finding.last_seq }) : finding.seq > 0 ? t("verify.one", { seq: finding.seq }) : t("verify.open");
  return (
    <li>
      <Glyph kind={finding.kind === "unmarked" ? "degraded" : "down"} />
      <div>
        <span className="strong">
          {place}: {t(`verify.kind.${finding.kind}`, { count: finding.last_seq - finding.seq + 1 })}
        </span>
        <span className="dim">{finding.detail}</span>
      </div>
      {finding.entry_id && (
        <Action size="bar" onClick={() => onOpen(finding.entry_id)} aria-label={t("verify.show", { place })}>
          {t("verify.showShort")}
        </Action>
      )}
    </li>
  );
}
