import { Menu } from "@mantine/core";
import { IconWorld } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { RowMenu } from "@/components/action/row-menu";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { DataTable, type Column } from "@/components/table/data-table";
import type { RowsFile } from "@/components/table/save-rows";
import { RelativeTime } from "@/components/text/relative-time";
import type { Integration, ProviderKind } from "./api";
import classes from "../cdn-dns.module.css";

interface Acts {
  block: string | undefined;
  onEdit: (integration: Integration) => void;
  onCheck: (integration: Integration) => void;
  onRemove: (integration: Integration) => void;
}

interface IntegrationsProps extends Acts {
  state: ViewState<Integration[]>;
  providers: ProviderKind[];
}

const file: RowsFile<Integration> = {
  name: "dns-services",
  fields: [
    ["label", (one) => one.label],
    ["provider", (one) => one.provider],
    ["zones", (one) => one.zones.map(({ name }) => name).join(" ")],
    ["last_error", (one) => one.last_error],
    ["id", (one) => one.id],
  ],
};

export function IntegrationsView({ state, providers, ...acts }: IntegrationsProps) {
  const { t } = useTranslation("cdn-dns");
  if (state.kind === "loading") return <Skeleton rows={3} />;
  if (state.kind === "error") return <ProblemView error={state.error} tried={t("loadFailed")} onRetry={state.retry} />;
  if (state.data.length === 0)
    return (
      <EmptyState icon={IconWorld} title={t("empty.title")}>
        {t("empty.text")}
      </EmptyState>
    );
  const service = ({ provider }: Integration) => providers.find(({ name }) => name === provider)?.title ?? provider;
  const isCdn = ({ provider }: Integration) => providers.some(({ name, cdn }) => cdn && name === provider);
  const columns: Column<Integration>[] = [
    { key: "label", head: t("label"), cell: (one) => <Label one={one} {...acts} /> },
    { key: "provider", head: t("provider"), width: 160, drop: 2, cell: service },
    { key: "zones", head: t("zones"), width: 260, drop: 1, cell: (one) => <Zones one={one} cdn={isCdn(one)} /> },
    { key: "state", head: t("state"), width: 240, cell: (one) => <State one={one} /> },
  ];
  return (
    <DataTable
      label={t("integrations.tab")}
      rows={state.data}
      total={state.data.length}
      columns={columns}
      rowId={({ id }) => id}
      rowName={({ label }) => label}
      file={file}
      menu={(one) => <Menus one={one} {...acts} />}
      phone={(one) => (
        <span className={classes.phone}>
          <Label one={one} {...acts} />
          <span className="dim">{service(one)}</span>
          <Zones one={one} cdn={isCdn(one)} />
          <State one={one} />
        </span>
      )}
    />
  );
}

function Label({ one, block, onEdit }: { one: Integration } & Acts) {
  if (block !== undefined) return <span className="strong">{one.label}</span>;
  return (
    <button type="button" className={classes.name} onClick={() => onEdit(one)}>
      {one.label}
    </button>
  );
}

function Zones({ one: { zones }, cdn }: { one: Integration; cdn: boolean }) {
  const { t } = useTranslation("cdn-dns");
  if (cdn) return <span className="dim">{t("isCdn")}</span>;
  const names = zones.map(({ name }) => name).join(", ");
  return <span title={names}>{names || "—"}</span>;
}

function State({ one }: { one: Integration }) {
  const { t } = useTranslation("cdn-dns");
  if (one.last_error)
    return (
      <span title={one.last_error}>
        <Status kind="down" inTable>
          {t("fails")}
        </Status>{" "}
        <span className="dim">{one.last_error}</span>
      </span>
    );
  return (
    <span>
      <Status kind="healthy">{t("works")}</Status>{" "}
      {one.last_verified_at && (
        <span className="dim">
          <RelativeTime at={one.last_verified_at} />
        </span>
      )}
    </span>
  );
}

function Menus({ one, block, onEdit, onCheck, onRemove }: { one: Integration } & Acts) {
  const { t } = useTranslation("cdn-dns");
  const closed = { disabled: block !== undefined, title: block };
  return (
    <RowMenu name={one.label}>
      <Menu.Item onClick={() => onCheck(one)}>{t("check")}</Menu.Item>
      <Menu.Item {...closed} onClick={() => onEdit(one)}>
        {t("edit")}
      </Menu.Item>
      <Menu.Item {...closed} color="red" onClick={() => onRemove(one)}>
        {t("remove")}
      </Menu.Item>
    </RowMenu>
  );
}
