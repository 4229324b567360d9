import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { licenseQuery } from "@/api/access";
import { Figure } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import type { AttentionItem } from "@/module";
import { useFormat } from "@/text/use-format";

function Tile() {
  const { t } = useTranslation("license");
  const format = useFormat();
  const license = useQuery(licenseQuery).data;
  if (!license) return <Figure name={t("title")} value="" />;
  const bad = license.state !== "active";
  const note = bad
    ? t(`state.${license.state}`)
    : license.valid_until
      ? t("until", { date: format.date(license.valid_until) })
      : t("forever");
  return (
    <Figure
      name={t("title")}
      value={license.plan ?? t("none.short")}
      note={
        <>
          {bad && <Glyph kind="degraded" />}
          {note}
        </>
      }
    />
  );
}

function useAttention(): AttentionItem[] {
  const { t } = useTranslation("license");
  const format = useFormat();
  const license = useQuery(licenseQuery).data;
  if (!license || license.state === "active") return [];
  const act = { path: "/license", label: license.state === "grace" ? t("title") : t("activate.verb") };
  const common = { id: "license", name: t("title"), act, since: license.last_check?.at ?? undefined };
  if (license.state === "grace") {
    return [
      {
        ...common,
        severity: "warn",
        glyph: "degraded",
        what: t("attention.grace"),
        effect: license.grace_until ? t("attention.until", { moment: format.moment(license.grace_until) }) : undefined,
      },
    ];
  }
  return [
    {
      ...common,
      severity: "crit",
      glyph: "degraded",
      what: t(`reason.${license.reason}`),
      effect: t("attention.readOnly"),
    },
  ];
}

function useFirstStep() {
  const { t } = useTranslation("license");
  const license = useQuery(licenseQuery).data;
  if (!license) return undefined;
  return {
    order: 1,
    title: t("first.title"),
    text: t("first.text"),
    act: t("activate.verb"),
    path: "/license",
    done: !license.read_only,
  };
}

export default { Tile, useAttention, useFirstStep };
