import { Menu } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconPlus, IconShieldCheck } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { Confirm } from "@/components/dialog/confirm";
import { useSearchState } from "@/components/screen/use-search";
import { EmptyState } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import type { Column } from "@/components/table/data-table";
import { useTableLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import classes from "../abuse.module.css";
import { AbuseHeader, useBlock } from "../header";
import { Listing } from "../shared/lists";
import { asnText } from "../shared/places";
import { UserLink } from "../shared/user";
import { AllowDialog } from "./allow-dialog";
import { entriesQuery, useDisallow, type Entry } from "./api";

const search = z.object({
  sort: z.enum(["created_at", "-created_at", "value", "-value"]).optional().catch(undefined),
});

const nameOf = ({ kind, value, label }: Entry) => label || (kind === "asn" ? asnText(Number(value)) : value);

/** Who and what is no abuse, since when and why. */
export default function AllowlistPage() {
  const { t } = useTranslation("abuse");
  const block = useBlock();
  const [place, setPlace] = useSearchState(search);
  const sort = place.sort ?? "-created_at";
  const list = useInfiniteQuery(entriesQuery(sort));
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Entry>();
  const add = (
    <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setAdding(true)}>
      {t("allow.add")}
    </Action>
  );
  return (
    <>
      <AbuseHeader current="allowlist" actions={add} />
      <Listing
        list={list}
        label={t("allowlist.tab")}
        columns={useColumns()}
        rowId={({ id }) => id}
        rowName={nameOf}
        look={useTableLook("abuse-allowlist")}
        sorting={{ value: sort, onChange: (value) => setPlace({ sort: value as typeof sort }) }}
        onCreate={block === undefined ? () => setAdding(true) : undefined}
        file={useFile()}
        menu={(entry) => (
          <RowMenu name={nameOf(entry)}>
            <Menu.Item data-danger disabled={block !== undefined} onClick={() => setRemoving(entry)}>
              {t("disallow.open")}
            </Menu.Item>
          </RowMenu>
        )}
        phone={(entry) => (
          <>
            <Name entry={entry} />
            <span className={`${classes.phone} dim`}>
              <Until entry={entry} />
              <span>{entry.note}</span>
            </span>
          </>
        )}
        empty={
          <EmptyState icon={IconShieldCheck} title={t("allowlist.empty")} act={add}>
            {t("allowlist.emptyText")}
          </EmptyState>
        }
      />
      {adding && <AllowDialog onClose={() => setAdding(false)} />}
      {removing && <DisallowDialog entry={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

function Name({ entry }: { entry: Entry }) {
  if (entry.kind === "user") return <UserLink userRef={entry.value} label={entry.label} />;
  return <span className="strong num">{nameOf(entry)}</span>;
}

function Until({ entry: { until } }: { entry: Entry }) {
  const { t } = useTranslation("abuse");
  return until ? <RelativeTime at={until} /> : <span className="dim">{t("allowlist.always")}</span>;
}

function useColumns(): Column<Entry>[] {
  const { t } = useTranslation("abuse");
  return [
    { key: "value", head: t("allowlist.who"), sort: "value", cell: (entry) => <Name entry={entry} /> },
    {
      key: "kind",
      head: t("allow.kind"),
      width: 130,
      drop: 2,
      cell: ({ kind }) => <span className="soft">{t(`allow.${kind}`)}</span>,
    },
    {
      key: "note",
      head: t("allow.note"),
      width: 320,
      drop: 3,
      cell: ({ note }) => (
        <span className="soft" title={note}>
          {note || "—"}
        </span>
      ),
    },
    { key: "until", head: t("allowlist.ends"), width: 130, cell: (entry) => <Until entry={entry} /> },
    {
      key: "by",
      head: t("by"),
      width: 130,
      drop: 4,
      cell: ({ created_by: by }) => <span className="soft">{by}</span>,
    },
    {
      key: "created",
      head: t("since"),
      sort: "created_at",
      width: 130,
      drop: 1,
      cell: ({ created_at: at }) => <RelativeTime at={at} />,
    },
  ];
}

function useFile() {
  return {
    name: "abuse-allowlist",
    fields: [
      ["kind", ({ kind }: Entry) => kind],
      ["value", ({ value }: Entry) => value],
      ["name", ({ label }: Entry) => label],
      ["note", ({ note }: Entry) => note],
      ["until", ({ until }: Entry) => until ?? ""],
      ["by", ({ created_by: by }: Entry) => by],
      ["created_at", ({ created_at: at }: Entry) => at],
    ] as [string, (entry: Entry) => string | number][],
  };
}

function DisallowDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const { t } = useTranslation("abuse");
  const remove = useDisallow();
  const name = nameOf(entry);
  const done = () => {
    toastDone(t("disallow.done", { name }));
    onClose();
  };
  return (
    <Confirm
      opened
      danger={false}
      onClose={onClose}
      onConfirm={() => remove.mutate(entry.id, { onSuccess: done })}
      title={t("disallow.title", { name })}
      verb={t("disallow.verb")}
      busy={remove.isPending}
      error={remove.error}
    >
      {t("disallow.text")}
    </Confirm>
  );
}
