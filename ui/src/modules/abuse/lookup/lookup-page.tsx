import { useQuery } from "@tanstack/react-query";
import { IconUserSearch } from "@tabler/icons-react";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card, Row, Rows } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { usePageTitle } from "@/components/layout/page-title";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, viewState } from "@/components/state/states";
import { Spinner, type GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import classes from "../abuse.module.css";
import type { SignalKind } from "../shared/kinds";
import { UserLink } from "../shared/user";
import { lookupQuery, type Lookup, type Person } from "./api";

/** Who it was, as far as signals and the records of entries tell, and which entries have no record. */
export default function LookupPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { t } = useTranslation("abuse");
  const state = viewState(useQuery(lookupQuery(id)));
  const lookup = state.kind === "ready" ? state.data : undefined;
  const name = lookup && (lookup.port ? `${lookup.address}:${lookup.port}` : lookup.address);
  usePageTitle(name);
  return (
    <>
      <PageHeader title={name ?? t("lookup.title")} meta={lookup && <Asked lookup={lookup} />} />
      {state.kind === "loading" && <Skeleton rows={6} />}
      {state.kind === "error" && (
        <ProblemView error={state.error} onRetry={state.retry} tried={t("lookup.loadFailed")} />
      )}
      {lookup && (
        <Columns width="narrow" side={<NodesCard lookup={lookup} />}>
          <PeopleCard lookup={lookup} />
        </Columns>
      )}
    </>
  );
}

function Asked({ lookup }: { lookup: Lookup }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  return (
    <>
      <Meta>
        {format.fullMoment(lookup.at)} ± {format.span(lookup.tolerance_s)}
      </Meta>
      {lookup.dest && (
        <Meta>{t("lookup.to", { dest: lookup.dest_port ? `${lookup.dest}:${lookup.dest_port}` : lookup.dest })}</Meta>
      )}
      <Meta>{t("lookup.askedFor", { who: lookup.asked_by, reason: lookup.reason })}</Meta>
    </>
  );
}

function PeopleCard({ lookup }: { lookup: Lookup }) {
  const { t } = useTranslation("abuse");
  const running = lookup.state === "running";
  return (
    <Card
      title={t("lookup.people")}
      label={t("lookup.people")}
      right={running && <Spinner label={t("lookup.running")} />}
      flush
    >
      {lookup.people.length === 0 && (
        <EmptyState icon={IconUserSearch} title={t(running ? "lookup.running" : "lookup.nobody")}>
          {!running && t("lookup.nobodyText")}
        </EmptyState>
      )}
      {lookup.more && <p className={`${classes.inside} soft`}>{t("lookup.moreText")}</p>}
      <Rows>
        {lookup.people.map((person) => (
          <PersonRow key={`${person.user_ref} ${person.flow} ${person.node} ${person.from}`} person={person} />
        ))}
      </Rows>
    </Card>
  );
}

function PersonRow({ person }: { person: Person }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const also = person.also.map(({ kind, count }) => `${t(`kind.${kind as SignalKind}`)} ${format.number(count)}`);
  return (
    <Row>
      <span className={classes.person}>
        <span>
          <UserLink userRef={person.user_ref} label={person.user} />{" "}
          {person.exact && <Status kind="healthy">{t("lookup.exact")}</Status>}{" "}
          <span className="dim">{[person.flow, person.node].filter(Boolean).join(", ")}</span>
        </span>
        <span className="soft">
          {t("lookup.connections", { count: person.connections, shown: format.number(person.connections) })},{" "}
          {format.moment(person.first_at)}–{format.clock(person.last_at)},{" "}
          <span className="dim">{t(`lookup.source.${person.from}`)}</span>
        </span>
        {also.length > 0 && <span className="soft">{t("lookup.also", { what: also.join(", ") })}</span>}
        <span>
          <Link to="/abuse" search={{ state: "all", user_ref: person.user_ref }}>
            {t("lookup.cases")}
          </Link>
        </span>
      </span>
    </Row>
  );
}

const glyphs: Record<Lookup["nodes"][number]["state"], GlyphKind> = {
  asked: "waiting",
  answered: "healthy",
  unreachable: "down",
  no_record: "no-data",
};

/** Which entries were asked, and which of them cannot tell. */
function NodesCard({ lookup: { nodes, at } }: { lookup: Lookup }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  return (
    <Card title={t("lookup.nodes")} label={t("lookup.nodes")} flush>
      {nodes.length === 0 && <p className={`${classes.inside} soft`}>{t("lookup.noNodes")}</p>}
      <Rows>
        {nodes.map(({ node_id: id, node, state, since, error }) => (
          <Row key={id}>
            <span className={classes.person}>
              <span className="strong">{node || t("gone")}</span>
              <Status kind={glyphs[state]}>{t(`lookup.state.${state}`)}</Status>
              {error && <span className="dim">{error}</span>}
              {since && Date.parse(since) > Date.parse(at) && (
                <span className="dim">{t("lookup.since", { when: format.moment(since) })}</span>
              )}
            </span>
          </Row>
        ))}
      </Rows>
    </Card>
  );
}
