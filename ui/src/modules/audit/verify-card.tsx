import type { UseMutationResult } from "@tanstack/react-query";
import { IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { ProblemView } from "@/components/state/problem-view";
import { useFormat } from "@/text/use-format";
import type { Finding, Report } from "./api";
import classes from "./audit.module.css";

/** The proof of the journal, and where it breaks each entry by number. */
export function VerifyCard({
  verify,
  onOpen,
  onClose,
}: {
  verify: Pick<UseMutationResult<Report, Error, void>, "data" | "error" | "mutate">;
  onOpen: (id: string) => void;
  onClose: () => void;
}) {
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

const faces: Record<Report["state"], { glyph: GlyphKind; tone: string }> = {
  intact: { glyph: "healthy", tone: "ok" },
  unproven: { glyph: "degraded", tone: "warn" },
  broken: { glyph: "down", tone: "crit" },
};

/** What the card says first: a journal that was not read to its end is no other way unproven. */
const wordOf = (report: Report) =>
  report.state === "unproven" && report.findings.length === 0 ? "partly" : report.state;

function Proof({ report, onOpen, onClose }: { report: Report; onOpen: (id: string) => void; onClose: () => void }) {
  const { t } = useTranslation("audit");
  const format = useFormat();
  const { glyph, tone } = faces[report.state];
  const count = report.findings.filter((finding) => finding.verdict === report.state).length;
  return (
    <section
      className={`${classes.proof} ${classes.card}`}
      data-tone={tone}
      role="status"
      aria-label={t("verify.label")}
    >
      <div className={classes.proofHead}>
        <Glyph kind={glyph} size={14} />
        <p>
          <b>{t(`verify.${wordOf(report)}`, { count })}</b>{" "}
          <span className="soft">
            {t("verify.checked", {
              count: report.checked,
              number: format.number(report.checked),
              first: report.first_seq,
              last: report.last_seq,
            })}{" "}
            {t("verify.heads", { count: report.heads })}
            {report.continued.map((place) => ` ${t("verify.continued", { seq: place.after })}`)}
            {report.unsealed > 0 && ` ${t("verify.unsealed", { count: report.unsealed })}`}{" "}
            {t("verify.at", { time: format.clock(report.checked_at, true) })}
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
  const place =
    finding.last_seq > finding.seq
      ? t("verify.run", { first: finding.seq, last: finding.last_seq })
      : finding.seq > 0
        ? t("verify.one", { seq: finding.seq })
        : t("verify.open");
  return (
    <li>
      <Glyph kind={faces[finding.verdict].glyph} />
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
