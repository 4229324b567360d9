import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { EmptyState } from "@/components/state/states";
import type { Column } from "@/components/table/data-table";
import { Listing } from "@/components/table/listing";
import { useTableLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import { deploysQuery, type Deploy, type Page } from "../api";
import { DeployStatus } from "../shared/states";
import classes from "../statuspage.module.css";

/** What was published when, by whom, and what became of it in each place. */
export function DeployLog({ page }: { page: Page }) {
  const { t } = useTranslation("statuspage");
  return (
    <Listing
      label={t("deploys.title")}
      tried={t("deploys.loadFailed")}
      list={useInfiniteQuery(deploysQuery(page.id))}
      columns={useColumns()}
      look={useTableLook("statuspage-deploys")}
      rowId={({ id }) => id}
      rowName={({ revision }) => t("deploys.revision", { number: revision })}
      rowHeight="two"
      empty={<EmptyState title={t("deploys.none")}>{t("deploys.noneText")}</EmptyState>}
      phone={(deploy) => (
        <>
          <span className="strong">{t("deploys.revision", { number: deploy.revision })}</span>
          <span className={classes.phone}>
            <DeployStatus state={deploy.state} /> <RelativeTime at={deploy.started_at} />
          </span>
        </>
      )}
    />
  );
}

/** The places of a deploy that failed say why; of the others their number is enough. */
function Places({ deploy: { targets } }: { deploy: Deploy }) {
  const { t } = useTranslation("statuspage");
  const failed = targets.filter(({ state }) => state === "failed");
  return (
    <span className={classes.two}>
      <span>{targets.map(({ label }) => label).join(", ")}</span>
      {failed.length > 0 ? (
        <span className={classes.bad} title={failed.map(({ label, error }) => `${label}: ${error}`).join("\n")}>
          {failed.map(({ label, error }) => `${label}: ${error}`).join(" · ")}
        </span>
      ) : (
        <span className={`${classes.second} num`}>
          {t("deploys.sent", { count: targets.reduce((sum, { files }) => sum + files, 0) })}
        </span>
      )}
    </span>
  );
}

function useColumns(): Column<Deploy>[] {
  const { t } = useTranslation("statuspage");
  return [
    {
      key: "revision",
      head: t("deploys.head.revision"),
      width: 140,
      cell: ({ revision }) => <span className="strong num">{t("deploys.revision", { number: revision })}</span>,
    },
    {
      key: "state",
      head: t("deploys.head.state"),
      width: 170,
      cell: ({ state }) => <DeployStatus state={state} inTable />,
    },
    { key: "places", head: t("deploys.head.places"), cell: (deploy) => <Places deploy={deploy} /> },
    { key: "by", head: t("deploys.head.by"), width: 150, drop: 2, cell: ({ started_by: by }) => by },
    {
      key: "at",
      head: t("deploys.head.at"),
      width: 140,
      drop: 1,
      cell: ({ started_at: at }) => <RelativeTime at={at} />,
    },
  ];
}
