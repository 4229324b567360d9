import { Link, useNavigate } from "@tanstack/react-router";
import { IconCircleCheck } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { SavedViews } from "@/components/layout/tabs";
import { useSearchState } from "@/components/screen/use-search";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, viewState } from "@/components/state/states";
import { DataTable, type Column, type Sorting } from "@/components/table/data-table";
import type { RowsFile } from "@/components/table/save-rows";
import { useTableLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import classes from "../health.module.css";
import { HealthHeader } from "../header";
import { incidentsQuery, unresolvedQuery, type Incident } from "./api";
import { incidentName, IncidentState, incidentWhat, reachText } from "./incident-text";

const states = ["unresolved", "acknowledged", "resolved"] as const;

const search = z.object({
  state: z.enum(states).optional().catch(undefined),
  sort: z.enum(["opened_at", "-opened_at", "severity", "-severity"]).optional().catch(undefined),
});

/** What went wrong and what goes wrong, the newest first. */
export default function IncidentsPage() {
  const { t } = useTranslation("health");
  const [place, setPlace] = useSearchState(search);
  const sort = place.sort ?? "-opened_at";
  const list = useInfiniteQuery(incidentsQuery({ state: place.state, sort }));
  const open = useQuery(unresolvedQuery()).data?.total;
  const state = viewState(list);
  return (
    <>
      <HealthHeader current="incidents" />
      <div className={classes.bar}>
        <SavedViews
          label={t("views.label")}
          current={place.state ?? "all"}
          views={[
            { key: "all", label: t("views.all"), link: { to: "/monitoring/incidents", search: {} } },
            ...states.map((one) => ({
              key: one,
              label: t(`incident.views.${one}`),
              count: one === "unresolved" ? open : undefined,
              link: { to: "/monitoring/incidents", search: { state: one } },
            })),
          ]}
        />
      </div>
      {state.kind === "loading" && <Skeleton rows={8} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />}
      {state.kind === "ready" && (
        <Incidents
          rows={state.data.items}
          total={state.data.total}
          sorting={{ value: sort, onChange: (value) => setPlace({ sort: value as typeof sort }) }}
          more={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
          busy={list.isFetchingNextPage}
        />
      )}
    </>
  );
}

interface IncidentsProps {
  rows: Incident[];
  total: number;
  sorting: Sorting;
  more: (() => void) | undefined;
  busy: boolean;
}

function Incidents({ rows, total, sorting, more, busy }: IncidentsProps) {
  const { t } = useTranslation("health");
  const navigate = useNavigate();
  return (
    <DataTable
      label={t("incidents.tab")}
      rows={rows}
      total={total}
      columns={useColumns()}
      rowId={({ id }) => id}
      rowName={(incident) => incidentName(t, incident)}
      rowHeight="two"
      look={useTableLook("health-incidents")}
      file={file}
      sorting={sorting}
      onOpen={({ id }) => void navigate({ to: `/monitoring/incidents/${id}` })}
      onMore={more}
      loadingMore={busy}
      phone={(incident) => <PhoneIncident incident={incident} />}
      empty={
        <EmptyState icon={IconCircleCheck} title={t("incidents.empty")}>
          {t("incidents.emptyText")}
        </EmptyState>
      }
    />
  );
}

const file: RowsFile<Incident> = {
  name: "incidents",
  fields: [
    ["told_by", ({ subject_name: name }) => name],
    ["cause", ({ cause }) => (cause ? `${cause.kind}:${cause.name}` : "")],
    ["state", ({ state }) => state],
    ["severity", ({ severity }) => severity],
    ["likely", ({ root_cause_hint: hint }) => hint],
    ["nodes", ({ nodes }) => nodes],
    ["flows", ({ connection_units: flows }) => flows],
    ["suffering", ({ suffering }) => suffering],
    ["began_at", ({ began_at: at }) => at],
    ["opened_at", ({ opened_at: at }) => at],
    ["acknowledged_at", ({ acknowledged_at: at }) => at ?? ""],
    ["acknowledged_by", ({ acknowledged_by: by }) => by],
    ["mitigated_at", ({ mitigated_at: at }) => at ?? ""],
    ["resolved_at", ({ resolved_at: at }) => at ?? ""],
    ["resolved_by", ({ resolved_by: by }) => by],
    ["reopened", ({ reopened }) => reopened],
    ["id", ({ id }) => id],
  ],
};

function useColumns(): Column<Incident>[] {
  const { t } = useTranslation("health");
  return [
    { key: "name", head: t("incident.one"), cell: (incident) => <NameCell incident={incident} /> },
    {
      key: "state",
      head: t("incident.stateHead"),
      width: 140,
      cell: (incident) => <IncidentState incident={incident} inTable />,
    },
    {
      key: "severity",
      head: t("incident.severityHead"),
      sort: "severity",
      width: 120,
      drop: 2,
      cell: ({ severity }) => <span className="soft">{t(`incident.severity.${severity}`)}</span>,
    },
    {
      key: "reach",
      head: t("incident.reach"),
      width: 170,
      drop: 1,
      cell: (incident) => <span className="soft">{reachText(t, incident)}</span>,
    },
    {
      key: "opened",
      head: t("incident.opened"),
      sort: "opened_at",
      width: 130,
      cell: ({ opened_at: at }) => <RelativeTime at={at} />,
    },
  ];
}

function NameCell({ incident }: { incident: Incident }) {
  const { t } = useTranslation("health");
  const name = incidentName(t, incident);
  return (
    <span className={classes.subject}>
      <span className={classes.subjectName}>
        <Link to={`/monitoring/incidents/${incident.id}`} title={name}>
          {name}
        </Link>
      </span>
      <span className={classes.what}>{incidentWhat(t, incident)}</span>
    </span>
  );
}

function PhoneIncident({ incident }: { incident: Incident }) {
  const { t } = useTranslation("health");
  return (
    <>
      <NameCell incident={incident} />
      <div className={classes.phoneLine}>
        <IncidentState incident={incident} />
        <span className="dim">
          {reachText(t, incident)} · <RelativeTime at={incident.opened_at} />
        </span>
      </div>
    </>
  );
}
