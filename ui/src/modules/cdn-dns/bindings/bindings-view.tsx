import { TextInput } from "@mantine/core";
import { IconSearch, IconWorld } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ActionLink } from "@/components/action/action";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { DataTable, type Column, type Sorting } from "@/components/table/data-table";
import type { RowsFile } from "@/components/table/save-rows";
import classes from "../cdn-dns.module.css";
import { CertificateState } from "../shared/certificate-state";
import type { Listed } from "../shared/pages";
import type { Binding } from "./api";
import { DnsState } from "./dns-state";
import { LeadsTo, nodesOf, useNodeNames } from "./node-link";

interface BindingsProps {
  state: ViewState<Listed<Binding>>;
  filter: { value: string; onChange: (text: string) => void };
  sorting: Sorting;
  onOpen: (binding: Binding) => void;
}

const file: RowsFile<Binding> = {
  name: "host-names",
  fields: [
    ["hostname", (one) => one.hostname],
    ["mode", (one) => one.mode],
    ["dns_state", (one) => one.dns_state],
    ["certificate", (one) => one.certificate.state],
    ["certificate_ends", (one) => one.certificate.not_after ?? ""],
    ["node_id", (one) => one.node_id],
    ["flows", (one) => one.used_by_flows.length],
    ["id", (one) => one.id],
  ],
};

export function BindingsView({ state, filter, sorting, onOpen }: BindingsProps) {
  const { t } = useTranslation("cdn-dns");
  const first = state.kind === "ready" && state.data.total === 0 && filter.value === "";
  return (
    <>
      {!first && <Search {...filter} />}
      {state.kind === "loading" && <Skeleton rows={8} />}
      {state.kind === "error" && (
        <ProblemView error={state.error} tried={t("bindings.loadFailed")} onRetry={state.retry} />
      )}
      {first && (
        <EmptyState
          icon={IconWorld}
          title={t("bindings.empty")}
          act={<ActionLink to="/nodes">{t("bindings.toNodes")}</ActionLink>}
        >
          {t("bindings.emptyText")}
        </EmptyState>
      )}
      {state.kind === "ready" && !first && <Table data={state.data} sorting={sorting} onOpen={onOpen} />}
    </>
  );
}

function Table({ data, sorting, onOpen }: { data: Listed<Binding> } & Pick<BindingsProps, "sorting" | "onOpen">) {
  const { t } = useTranslation("cdn-dns");
  const nameOf = useNodeNames(data.rows.flatMap(nodesOf));
  const columns: Column<Binding>[] = [
    {
      key: "hostname",
      head: t("binding.hostname"),
      sort: "hostname",
      cell: (one) => <Name one={one} onOpen={onOpen} />,
    },
    {
      key: "node",
      head: t("binding.node"),
      width: 150,
      drop: 1,
      cell: (one) => <LeadsTo binding={one} nameOf={nameOf} />,
    },
    { key: "mode", head: t("binding.mode"), width: 156, drop: 3, cell: ({ mode }) => t(`mode.${mode}`) },
    { key: "dns", head: "DNS", width: 190, cell: (one) => <DnsState state={one.dns_state} inTable /> },
    {
      key: "certificate",
      head: t("binding.certificate"),
      width: 230,
      cell: ({ certificate }) => <CertificateState life={certificate} inTable />,
    },
    {
      key: "used",
      head: t("binding.usedBy"),
      width: 110,
      drop: 2,
      cell: ({ used_by_flows: flows }) =>
        flows.length > 0 ? t("binding.flows", { count: flows.length }) : <span className="dim">—</span>,
    },
  ];
  return (
    <DataTable
      label={t("bindings.tab")}
      rows={data.rows}
      total={data.total}
      columns={columns}
      sorting={sorting}
      rowId={({ id }) => id}
      rowName={({ hostname }) => hostname}
      file={file}
      onOpen={onOpen}
      onMore={data.more}
      loadingMore={data.reading}
      phone={(one) => (
        <span className={classes.phone}>
          <Name one={one} onOpen={onOpen} />
          <span className={classes.labelled}>
            <span className="dim">DNS</span>
            <DnsState state={one.dns_state} />
          </span>
          <span className={classes.labelled}>
            <span className="dim">{t("binding.certificate")}</span>
            <CertificateState life={one.certificate} />
          </span>
          <span className="dim">
            {nameOf(one.node_id)}
            {one.moving_to && ` · ${t("binding.movesTo")} ${nameOf(one.moving_to)}`}
            {one.used_by_flows.length > 0 && ` · ${t("binding.flows", { count: one.used_by_flows.length })}`}
          </span>
        </span>
      )}
      empty={<EmptyState title={t("bindings.nothing")}>{t("bindings.nothingText")}</EmptyState>}
    />
  );
}

function Name({ one, onOpen }: { one: Binding; onOpen: (binding: Binding) => void }) {
  return (
    <button type="button" className={classes.name} title={one.hostname} onClick={() => onOpen(one)}>
      {one.hostname}
    </button>
  );
}

const pause = 250;

function Search({ value, onChange }: BindingsProps["filter"]) {
  const { t } = useTranslation("cdn-dns");
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), pause);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <div className={classes.tools}>
      <TextInput
        aria-label={t("bindings.filter")}
        placeholder={t("bindings.filter")}
        data-search
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </div>
  );
}
