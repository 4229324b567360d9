import { useInfiniteQuery } from "@tanstack/react-query";
import { IconSearch } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { EmptyState } from "@/components/state/states";
import type { Column } from "@/components/table/data-table";
import { useTableLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import classes from "../abuse.module.css";
import { AbuseHeader } from "../header";
import { Listing } from "../shared/lists";
import { lookupsQuery, type LookupLine } from "./api";
import { LookupForm } from "./lookup-form";

/** From a complaint to a person: the form, and who asked what before. */
export default function LookupsPage() {
  const { t } = useTranslation("abuse");
  const navigate = useNavigate();
  return (
    <>
      <AbuseHeader current="lookups" />
      <Columns
        sideFirst
        side={
          <Card title={t("lookup.title")}>
            <LookupForm />
          </Card>
        }
      >
        <Listing
          list={useInfiniteQuery(lookupsQuery)}
          label={t("lookups.tab")}
          columns={useColumns()}
          rowId={({ id }) => id}
          rowName={({ address }) => address}
          rowHeight="two"
          look={useTableLook("abuse-lookups")}
          onOpen={({ id }) => void navigate({ to: `/abuse/lookups/${id}` })}
          phone={(line) => (
            <>
              <Name line={line} />
              <span className={`${classes.phone} dim`}>
                {line.asked_by} <RelativeTime at={line.asked_at} />
              </span>
            </>
          )}
          empty={
            <EmptyState icon={IconSearch} title={t("lookups.empty")}>
              {t("lookups.emptyText")}
            </EmptyState>
          }
        />
      </Columns>
    </>
  );
}

/** The address that was complained about, as the way to the answer, and why somebody asked. */
function Name({ line }: { line: LookupLine }) {
  return (
    <span className={classes.two}>
      <Link to={`/abuse/lookups/${line.id}`} className="strong mono">
        {line.port ? `${line.address}:${line.port}` : line.address}
      </Link>
      <span className={classes.second} title={line.reason}>
        {line.reason}
      </span>
    </span>
  );
}

function useColumns(): Column<LookupLine>[] {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  return [
    { key: "address", head: t("lookup.address"), cell: (line) => <Name line={line} /> },
    { key: "at", head: t("lookup.at"), width: 130, drop: 1, cell: ({ at }) => format.moment(at) },
    {
      key: "by",
      head: t("lookup.askedBy"),
      width: 120,
      drop: 2,
      cell: ({ asked_by: by }) => <span className="soft">{by}</span>,
    },
    { key: "asked", head: t("lookup.asked"), width: 120, cell: ({ asked_at: at }) => <RelativeTime at={at} /> },
  ];
}
