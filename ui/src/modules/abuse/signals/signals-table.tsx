import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { IconShieldCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { EmptyState } from "@/components/state/states";
import type { Column, Sorting } from "@/components/table/data-table";
import type { OwnLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import classes from "../abuse.module.css";
import { Confidence } from "../shared/kinds";
import { type Read } from "@/components/table/list-query";
import { Listing } from "../shared/lists";
import { destText } from "../shared/places";
import { UserLink } from "../shared/user";
import type { Signal } from "./api";

interface SignalsTableProps {
  list: UseInfiniteQueryResult<Read<Signal>>;
  own: OwnLook;
  sorting: Sorting;
  onOpen: (signal: Signal) => void;
  /** Takes the filters off; without any, an empty list says what signals are. */
  onClear: (() => void) | undefined;
  /** A column that says nothing here. */
  without?: string;
}

/** Signals as rows; each opens its evidence. */
export function SignalsTable({ list, own, sorting, onOpen, onClear, without }: SignalsTableProps) {
  const { t } = useTranslation("abuse");
  return (
    <Listing
      list={list}
      label={t("signals.tab")}
      columns={useColumns(onOpen).filter(({ key }) => key !== without)}
      rowId={({ id }) => id}
      rowName={(signal) => `${t(`kind.${signal.kind}`)}, ${signal.user_label || signal.user_ref}`}
      rowHeight="two"
      look={own}
      sorting={sorting}
      onOpen={onOpen}
      file={useFile()}
      phone={(signal) => <PhoneSignal signal={signal} onOpen={onOpen} />}
      empty={
        onClear ? (
          <EmptyState title={t("signals.nothing")} act={<Action onClick={onClear}>{t("clear")}</Action>} />
        ) : (
          <EmptyState icon={IconShieldCheck} title={t("signals.empty")}>
            {t("signals.emptyText")}
          </EmptyState>
        )
      }
    />
  );
}

/** What was done, and towards what; the way to the evidence. */
function What({ signal, onOpen }: { signal: Signal; onOpen: (signal: Signal) => void }) {
  const { t } = useTranslation("abuse");
  return (
    <span className={classes.two}>
      <span>
        <Action kind="link" onClick={() => onOpen(signal)}>
          {t(`kind.${signal.kind}`)}
        </Action>
      </span>
      <span className={classes.second}>{destText(signal.dest) || t("signals.noDest")}</span>
    </span>
  );
}

function useColumns(onOpen: (signal: Signal) => void): Column<Signal>[] {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  return [
    { key: "what", head: t("signals.what"), cell: (signal) => <What signal={signal} onOpen={onOpen} /> },
    {
      key: "user",
      head: t("user.one"),
      width: 170,
      cell: (signal) => <UserLink userRef={signal.user_ref} label={signal.user_label} />,
    },
    {
      key: "count",
      head: t("signals.count"),
      sort: "count",
      width: 96,
      align: "right",
      drop: 2,
      cell: ({ count }) => format.number(count),
    },
    {
      key: "confidence",
      head: t("signals.certain"),
      sort: "confidence",
      width: 150,
      cell: ({ confidence }) => <Confidence value={confidence} inTable />,
    },
    {
      key: "how",
      head: t("signals.how"),
      width: 170,
      drop: 3,
      cell: ({ detected_by: how }) => <span className="soft">{t(`detector.${how}`)}</span>,
    },
    {
      key: "node",
      head: t("node"),
      width: 140,
      drop: 1,
      cell: ({ node_name: name }) => <span className="soft">{name || t("gone")}</span>,
    },
    {
      key: "flow",
      head: t("flow"),
      width: 140,
      drop: 4,
      extra: true,
      cell: ({ flow_name: name }) => <span className="soft">{name || "—"}</span>,
    },
    {
      key: "last_at",
      head: t("signals.last"),
      sort: "last_at",
      width: 124,
      cell: ({ last_at: at }) => <RelativeTime at={at} />,
    },
  ];
}

function PhoneSignal({ signal, onOpen }: { signal: Signal; onOpen: (signal: Signal) => void }) {
  return (
    <>
      <What signal={signal} onOpen={onOpen} />
      <span className={classes.phone}>
        <UserLink userRef={signal.user_ref} label={signal.user_label} />
        <Confidence value={signal.confidence} />
        <span className="dim">
          <RelativeTime at={signal.last_at} />
        </span>
      </span>
    </>
  );
}

function useFile() {
  const { t } = useTranslation("abuse");
  return {
    name: "abuse-signals",
    fields: [
      ["kind", ({ kind }: Signal) => t(`kind.${kind}`)],
      ["user", ({ user_label: label }: Signal) => label],
      ["user_ref", ({ user_ref: ref }: Signal) => ref],
      ["destination", ({ dest }: Signal) => destText(dest)],
      ["count", ({ count }: Signal) => count],
      ["confidence", ({ confidence }: Signal) => confidence],
      ["detected_by", ({ detected_by: how }: Signal) => how],
      ["node", ({ node_name: name }: Signal) => name],
      ["flow", ({ flow_name: name }: Signal) => name],
      ["first_at", ({ first_at: at }: Signal) => at],
      ["last_at", ({ last_at: at }: Signal) => at],
    ] as [string, (signal: Signal) => string | number][],
  };
}
