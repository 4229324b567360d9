import { useTranslation } from "react-i18next";
import { certificateEnd, daysLeft, type CertificateEnd, type CertificateLife } from "@/api/certificate-end";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import classes from "../cdn-dns.module.css";

type Word = CertificateLife["state"] | "soon" | "renewalFailed";

/** A certificate as it stands for people. A failed renewal leaves the old one in use. */
export function certificateWord(life: CertificateLife, end: CertificateEnd): { word: Word; glyph: GlyphKind } {
  if (end === "over") return { word: "expired", glyph: "down" };
  if (life.state === "failed" && life.not_after)
    return { word: "renewalFailed", glyph: end === "soon" ? "down" : "degraded" };
  if (end === "soon") return { word: "soon", glyph: "degraded" };
  return { word: life.state, glyph: glyphs[life.state] };
}

const glyphs: Record<CertificateLife["state"], GlyphKind> = {
  none: "no-data",
  issuing: "waiting",
  valid: "healthy",
  expiring: "healthy",
  expired: "down",
  failed: "down",
};

/** State and the days that are left, coloured by the rule of the alarm. */
export function CertificateState({ life, inTable = false }: { life: CertificateLife; inTable?: boolean }) {
  const { t } = useTranslation("cdn-dns");
  const end = certificateEnd(life, useNow());
  const { word, glyph } = certificateWord(life, end);
  return (
    <span className={classes.line}>
      <Status kind={glyph} inTable={inTable}>
        {t(`certificateState.${word}`)}
      </Status>
      {life.not_after && end !== "over" && <DaysLeft until={life.not_after} end={end} />}
    </span>
  );
}

function DaysLeft({ until, end }: { until: string; end: CertificateEnd }) {
  const { t } = useTranslation("cdn-dns");
  const format = useFormat();
  const days = daysLeft(until, useNow());
  return (
    <time dateTime={until} title={format.fullMoment(until)} className={`${classes.days} num`} data-end={end}>
      {days === 0 ? t("lastDay") : t("days", { count: days })}
    </time>
  );
}
