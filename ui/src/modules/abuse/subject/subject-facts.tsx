import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Card, Facts } from "@/components/layout/card";
import { Skeleton, type ViewState } from "@/components/state/states";
import { Glyph } from "@/components/status/glyph";
import { useFormat, useLanguage } from "@/text/use-format";
import classes from "../abuse.module.css";
import { countryName } from "../shared/places";
import type { Diversity } from "./api";
import { nameText } from "./networks-card";
import { day, usualNetworks } from "./tracks";

/** What was most in the last week and what is usual, and what nobody sees of it. */
export function SubjectFacts({ state }: { state: Exclude<ViewState<Diversity>, { kind: "error" }> }) {
  const { t } = useTranslation("abuse");
  if (state.kind === "loading") return <Skeleton rows={5} />;
  return (
    <>
      <Card title={t("subject.facts")} aside={t("subject.week")}>
        <Week diversity={state.data} />
      </Card>
      <Unseen diversity={state.data} />
    </>
  );
}

function Week({ diversity }: { diversity: Diversity }) {
  return <Facts nameWidth={124} items={useItems(diversity)} />;
}

function useItems(diversity: Diversity): { name: string; value: ReactNode }[] {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const language = useLanguage();
  const usual = usualNetworks(diversity).map(nameText).filter(Boolean);
  const devices = diversity.windows.map((window) => window.devices).filter((count) => count !== null);
  const recent = diversity.windows.filter(({ at }) => Date.parse(at) >= Date.parse(diversity.to) - day);
  const mobile = recent.length > 0 ? recent.reduce((sum, one) => sum + one.mobile_share, 0) / recent.length : undefined;
  const countries = diversity.countries.map((code) => countryName(code, language));
  return [
    { name: t("subject.concurrent"), value: t("subject.sources", counted(diversity.max_concurrent, format)) },
    { name: t("subject.inWindow"), value: t("subject.sources", counted(diversity.max_sources, format)) },
    { name: t("subject.countries"), value: countries.join(", ") || t("unknown") },
    { name: t("subject.usual"), value: [...new Set(usual)].slice(0, 4).join(", ") || t("unknown") },
    { name: t("subject.mobile"), value: mobile === undefined ? t("unknown") : format.percent(mobile * 100) },
    { name: t("subject.devices"), value: devices.length ? format.number(Math.max(...devices)) : t("unknown") },
  ];
}

const counted = (count: number, format: ReturnType<typeof useFormat>) => ({ count, shown: format.number(count) });

const mostListed = 4;

/** Listeners whose sessions agents do not all see: what is shown may be less than there was. */
export function Unseen({ diversity: { unseen } }: { diversity: Diversity }) {
  const { t } = useTranslation("abuse");
  if (unseen.length === 0) return null;
  const rest = unseen.length - mostListed;
  return (
    <Card title={t("unseen.title")} label={t("unseen.title")}>
      <div className={classes.notes}>
        <p className="soft">{t("unseen.text")}</p>
        <ul className={classes.notes}>
          {unseen.slice(0, mostListed).map(({ node_id: node, node_name: name, inbound_tag: tag, source, reason }) => (
            <li key={`${node} ${tag}`} className={classes.note}>
              <Glyph kind="no-data" />
              <span>
                <span className="strong">{name || t("gone")}</span> <span className="mono">{tag}</span>{" "}
                <span className="dim">
                  {t(`unseen.source.${reason === "proxy_panel_serves" || !source ? "proxy_panel" : source}`)}
                </span>
              </span>
            </li>
          ))}
        </ul>
        {rest > 0 && <p className="dim">{t("unseen.rest", { count: rest })}</p>}
      </div>
    </Card>
  );
}
