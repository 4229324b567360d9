import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Card, Facts } from "@/components/layout/card";
import { useFormat, useLanguage } from "@/text/use-format";
import { countryName } from "../shared/places";
import type { Diversity } from "../subject/api";
import { nameText } from "../subject/networks-card";
import { usualNetworks } from "../subject/tracks";
import { casesQuery, type Case } from "./api";

/** Whom the case is about: what is usual, and what there was before. */
export function CaseSubject({ one, week }: { one: Case; week: Diversity | undefined }) {
  const { t } = useTranslation("abuse");
  return (
    <Card
      title={t("case.subject")}
      label={t("case.subject")}
      right={
        <Link to="/abuse/subjects/$ref" params={{ ref: one.user_ref }}>
          {t("case.allSessions")}
        </Link>
      }
    >
      <Facts nameWidth={124} items={[...useUsual(week), ...useRest(one)]} />
    </Card>
  );
}

function useUsual(week: Diversity | undefined): { name: string; value: ReactNode }[] {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const language = useLanguage();
  if (!week) return [];
  const usual = [...new Set(usualNetworks(week).map(nameText).filter(Boolean))].slice(0, 4);
  const count = week.max_concurrent;
  return [
    { name: t("subject.concurrent"), value: t("subject.sources", { count, shown: format.number(count) }) },
    {
      name: t("subject.countries"),
      value: week.countries.map((code) => countryName(code, language)).join(", ") || t("unknown"),
    },
    { name: t("subject.usual"), value: usual.join(", ") || t("unknown") },
  ];
}

function useRest(one: Case): { name: string; value: ReactNode }[] {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const kinds = Object.entries(one.signals);
  const signals = kinds.map(([kind, count]) => `${t(`kind.${kind}`)} ${format.number(count)}`);
  return [
    { name: t("signals.tab"), value: signals.join(", ") || t("case.noSignals") },
    { name: t("case.flows"), value: one.flows.map(({ name }) => name || t("gone")).join(", ") || t("unknown") },
    { name: t("case.earlier"), value: <Earlier one={one} /> },
  ];
}

/** How many cases there were before, and how the last of them ended. */
function Earlier({ one }: { one: Case }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const list = useInfiniteQuery({
    ...casesQuery({ user_ref: one.user_ref }, "-opened_at"),
    enabled: one.earlier > 0,
  }).data?.items;
  const last = list?.find(({ opened_at: at }) => Date.parse(at) < Date.parse(one.opened_at));
  if (one.earlier === 0) return <span className="dim">{t("case.noEarlier")}</span>;
  return (
    <span>
      <span className="num">{format.number(one.earlier)}</span>
      {last && (
        <>
          {", "}
          <Link to={`/abuse/cases/${last.id}`}>{t("case.name", { number: last.number })}</Link>{" "}
          <span className="dim">
            {t(`case.ended.${last.state}`, {
              when: format.day(last.closed_at ?? last.updated_at),
              who: last.closed_by || t("case.nobody"),
            })}
          </span>
        </>
      )}
    </span>
  );
}
