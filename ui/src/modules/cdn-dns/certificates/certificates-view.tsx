import { Menu } from "@mantine/core";
import { IconCertificate } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { RowMenu } from "@/components/action/row-menu";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { DataTable, type Column, type Sorting } from "@/components/table/data-table";
import type { RowsFile } from "@/components/table/save-rows";
import { RelativeTime } from "@/components/text/relative-time";
import classes from "../cdn-dns.module.css";
import { CertificateState } from "../shared/certificate-state";
import type { Listed } from "../shared/pages";
import type { Certificate } from "./api";
import { shortNames } from "./names";

export interface CertificateActs {
  /** Why changes are closed. */
  block: string | undefined;
  onOpen: (certificate: Certificate) => void;
  onRenew: (certificate: Certificate) => void;
  onUpload: () => void;
  onRemove: (certificate: Certificate) => void;
}

interface CertificatesProps {
  state: ViewState<Listed<Certificate>>;
  sorting: Sorting;
  acts: CertificateActs;
}

const file: RowsFile<Certificate> = {
  name: "certificates",
  fields: [
    ["names", (one) => one.names.join(" ")],
    ["state", (one) => one.state],
    ["source", (one) => one.source],
    ["issuer", (one) => one.issuer],
    ["not_before", (one) => one.not_before ?? ""],
    ["not_after", (one) => one.not_after ?? ""],
    ["renew_at", (one) => one.renew_at ?? ""],
    ["fingerprint", (one) => one.fingerprint],
    ["last_error", (one) => one.last_error],
    ["id", (one) => one.id],
  ],
};

export function CertificatesView({ state, sorting, acts }: CertificatesProps) {
  const { t } = useTranslation("cdn-dns");
  if (state.kind === "loading") return <Skeleton rows={5} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} tried={t("certificates.loadFailed")} onRetry={state.retry} />;
  const { rows, total, more, reading } = state.data;
  if (total === 0)
    return (
      <EmptyState icon={IconCertificate} title={t("certificates.empty")}>
        {t("certificates.emptyText")}
      </EmptyState>
    );
  const columns: Column<Certificate>[] = [
    { key: "name", head: t("certificates.names"), sort: "name", cell: (one) => <Names one={one} acts={acts} /> },
    {
      key: "state",
      head: t("certificates.state"),
      width: 250,
      cell: (one) => <CertificateState life={one} inTable />,
    },
    { key: "issuer", head: t("certificates.issuer"), width: 150, drop: 1, cell: (one) => <Issuer one={one} /> },
    { key: "source", head: t("certificates.source"), width: 130, drop: 2, cell: (one) => t(`source.${one.source}`) },
    {
      key: "renewal",
      head: t("certificates.renewal"),
      width: 140,
      drop: 3,
      cell: (one) => <Renewal one={one} />,
    },
  ];
  return (
    <DataTable
      label={t("certificates.tab")}
      rows={rows}
      total={total}
      columns={columns}
      sorting={sorting}
      rowId={({ id }) => id}
      rowName={({ names }) => names[0] ?? ""}
      file={file}
      onOpen={acts.onOpen}
      onMore={more}
      loadingMore={reading}
      menu={(one) => <Menus one={one} acts={acts} />}
      phone={(one) => (
        <span className={classes.phone}>
          <Names one={one} acts={acts} />
          <CertificateState life={one} />
          <span className="dim">
            {t(`source.${one.source}`)}
            {one.issuer && ` · ${one.issuer}`}
          </span>
        </span>
      )}
    />
  );
}

function Names({ one, acts }: { one: Certificate; acts: CertificateActs }) {
  const { t } = useTranslation("cdn-dns");
  const { first, more } = shortNames(one.names);
  return (
    <span className={classes.names} title={one.names.join(", ")}>
      <button type="button" className={classes.name} onClick={() => acts.onOpen(one)}>
        {first}
      </button>
      {more > 0 && <span className="dim">{t("certificates.more", { count: more })}</span>}
    </span>
  );
}

function Issuer({ one: { issuer } }: { one: Certificate }) {
  return issuer ? <span title={issuer}>{issuer}</span> : <span className="dim">—</span>;
}

/** When the panel acts by itself: the next order, or the next try after a failure. */
function Renewal({ one: { source, renew_at, retry_at } }: { one: Certificate }) {
  const { t } = useTranslation("cdn-dns");
  if (source === "upload") return <span className="dim">{t("certificates.byYou")}</span>;
  const at = retry_at ?? renew_at;
  return at ? <RelativeTime at={at} /> : <span className="dim">—</span>;
}

function Menus({ one, acts }: { one: Certificate; acts: CertificateActs }) {
  const { t } = useTranslation("cdn-dns");
  const { block } = acts;
  return (
    <RowMenu name={one.names[0] ?? ""}>
      {block && <Menu.Label>{block}</Menu.Label>}
      <Menu.Item onClick={() => acts.onOpen(one)}>{t("certificates.open")}</Menu.Item>
      {one.source === "authority" ? (
        <Menu.Item disabled={block !== undefined} onClick={() => acts.onRenew(one)}>
          {t("certificates.renew")}
        </Menu.Item>
      ) : (
        <Menu.Item disabled={block !== undefined} onClick={acts.onUpload}>
          {t("certificates.replace")}
        </Menu.Item>
      )}
      <Menu.Divider />
      <Menu.Item data-danger disabled={block !== undefined} onClick={() => acts.onRemove(one)}>
        {t("certificates.remove")}
      </Menu.Item>
    </RowMenu>
  );
}
