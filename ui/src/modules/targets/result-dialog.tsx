import { Modal } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { DialogBody, DialogFoot } from "@/components/dialog/dialog-form";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import type { Reason, Result } from "./api";
import { Latency, nameOf, sentence, UseAct, Verdict, type Use } from "./results-view";
import classes from "./targets.module.css";

/** All that is known of one target, and why it is worth what it is. */
export function ResultDialog({
  result,
  use,
  onClose,
}: {
  result: Result | undefined;
  use: Use | undefined;
  onClose: () => void;
}) {
  return (
    <Modal opened={result !== undefined} onClose={onClose} title={result && nameOf(result)} size="lg">
      {result && (
        <DialogBody>
          <Reasons result={result} />
          <Facts result={result} />
          {use && (
            <DialogFoot>
              <UseAct result={result} use={use} />
            </DialogFoot>
          )}
        </DialogBody>
      )}
    </Modal>
  );
}

const glyphs: Record<Reason["effect"], GlyphKind> = {
  good: "healthy",
  warning: "degraded",
  bad: "down",
  nothing: "no-data",
};

function Reasons({ result }: { result: Result }) {
  const { t } = useTranslation("targets");
  return (
    <>
      <p className={classes.head}>
        <Verdict of={result.suitability} />
        <span className="num">{t("score", { score: result.score })}</span>
      </p>
      <ul className={classes.list}>
        {result.reasons.map((reason) => (
          <li key={reason.code}>
            <Glyph kind={glyphs[reason.effect]} />
            <span>{sentence(t, reason)}</span>
            {reason.points !== 0 && (
              <span className="dim num">{reason.points > 0 ? `+${reason.points}` : reason.points}</span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Facts({ result }: { result: Result }) {
  const { t } = useTranslation("targets");
  const format = useFormat();
  const { cert } = result;
  const facts: [string, string][] = [
    [t("facts.ip"), result.ip],
    [t("facts.sni"), result.sni],
    [
      t("facts.tls"),
      [result.tls_version && `TLS ${result.tls_version}`, result.alpn, result.group].filter(Boolean).join(" · "),
    ],
    [t("facts.subject"), cert?.subject ?? ""],
    [t("facts.issuer"), cert?.issuer ?? ""],
    [t("facts.notAfter"), cert ? format.date(cert.not_after) : ""],
    [t("facts.names"), cert?.sans.join(", ") ?? ""],
    [t("facts.redirects"), result.redirects_to],
    [t("facts.cdn"), result.cdn],
    [t("facts.validUntil"), format.fullMoment(result.valid_until)],
  ];
  return (
    <dl className={classes.facts}>
      <div className={classes.fact}>
        <dt>{t("columns.latency")}</dt>
        <dd>
          <Latency of={result} />
        </dd>
      </div>
      {facts
        .filter(([, value]) => value !== "")
        .map(([name, value]) => (
          <div key={name} className={classes.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
