import { TextInput } from "@mantine/core";
import { IconAlertTriangle, IconSearch } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { SavedViews } from "@/components/layout/tabs";
import { Meta } from "@/components/layout/page-header";
import { useSearchState } from "@/components/screen/use-search";
import { viewState } from "@/components/state/states";
import classes from "../health.module.css";
import { HealthHeader } from "../header";
import { unresolvedQuery } from "../incidents/api";
import { subjectsQuery, summaryQuery, type Counts, type Kind, type Summary } from "../shared/api";
import { Looked } from "../shared/verdict";
import { MatrixView } from "./matrix-view";

const search = z.object({
  q: z.string().optional().catch(undefined),
  state: z.enum(["up", "degraded", "down", "unknown", "not_up"]).optional().catch(undefined),
  sort: z.enum(["name", "-name", "state", "-state", "since", "-since"]).optional().catch(undefined),
});

type Place = z.output<typeof search>;

/** How all nodes or all flows do. What is worst stands first. */
export function MatrixPage({ kind }: { kind: Kind }) {
  const [place, setPlace] = useSearchState(search);
  const sort = place.sort ?? "-state";
  const list = useInfiniteQuery(subjectsQuery(kind, { ...place, sort }));
  const summary = useQuery(summaryQuery).data;
  const counts = summary && (kind === "nodes" ? summary.nodes : summary.connection_units);
  return (
    <>
      <HealthHeader current={kind} meta={summary && <Lead summary={summary} />} />
      {summary?.panel_cut_off && <CutOff />}
      <div className={classes.bar}>
        <Views kind={kind} place={place} counts={counts} />
        <Search value={place.q} onChange={(q) => setPlace({ q })} />
      </div>
      <MatrixView
        kind={kind}
        state={viewState(list)}
        filtered={place.q !== undefined || place.state !== undefined}
        sorting={{ value: sort, onChange: (value) => setPlace({ sort: value as Place["sort"] }) }}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
      />
    </>
  );
}

/** How much is looked at, from how many places, and when the last look was. */
function Lead({ summary: { watchers, checked_at: at } }: { summary: Summary }) {
  const { t } = useTranslation("health");
  return (
    <>
      <Meta>{t("watchers", { count: watchers.checks, places: t("places", { count: watchers.able + 1 }) })}</Meta>
      {watchers.lacking > 0 && <Meta>{t("lacking", { count: watchers.lacking })}</Meta>}
      <Meta>
        <Looked at={at} />
      </Meta>
      <OpenIncidents />
    </>
  );
}

/** How many incidents there are now. */
function OpenIncidents() {
  const { t } = useTranslation("health");
  const count = useQuery(unresolvedQuery()).data?.total ?? 0;
  if (count === 0) return null;
  return (
    <Meta>
      <Link to="/monitoring/incidents" search={{ state: "unresolved" }}>
        {t("incident.open", { count })}
      </Link>
    </Meta>
  );
}

/** So much seems gone at once that the panel's own line is the likely cause. */
function CutOff() {
  const { t } = useTranslation("health");
  return (
    <p className={classes.cutOff} role="status">
      <IconAlertTriangle size={16} stroke={1.7} aria-hidden />
      {t("cutOff")}
    </p>
  );
}

const states = ["not_up", "down", "degraded", "unknown"] as const;

interface ViewsProps {
  kind: Kind;
  place: Place;
  counts: Counts | undefined;
}

/** Ready filters with their counts. */
function Views({ kind, place, counts }: ViewsProps) {
  const { t } = useTranslation("health");
  const to = kind === "nodes" ? "/monitoring" : "/monitoring/flows";
  const counted = (state: (typeof states)[number]) =>
    counts && (state === "not_up" ? counts.total - counts.up : counts[state]);
  const shown = states.filter((state) => state === place.state || (counted(state) ?? 0) > 0);
  return (
    <SavedViews
      label={t("views.label")}
      current={place.state ?? "all"}
      views={[
        { key: "all", label: t("views.all"), count: counts?.total, link: { to, search: {} } },
        ...shown.map((state) => ({
          key: state,
          label: t(`views.${state}`),
          count: counted(state),
          link: { to, search: { state } },
        })),
      ]}
    />
  );
}

const pause = 250;

function Search({ value, onChange }: { value: string | undefined; onChange: (value: string | undefined) => void }) {
  const { t } = useTranslation("health");
  const [text, setText] = useState(value ?? "");
  useEffect(() => setText(value ?? ""), [value]);
  useEffect(() => {
    if (text === (value ?? "")) return;
    const timer = setTimeout(() => onChange(text || undefined), pause);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <TextInput
      className={classes.search}
      aria-label={t("find")}
      placeholder={t("find")}
      data-search
      leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
