import { Menu } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconBan, IconShieldCheck } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { Confirm } from "@/components/dialog/confirm";
import { SavedViews } from "@/components/layout/tabs";
import { useSearchState } from "@/components/screen/use-search";
import { EmptyState } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { Column } from "@/components/table/data-table";
import { useTableLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import classes from "../abuse.module.css";
import { AbuseHeader, useBlock } from "../header";
import { Listing } from "../shared/lists";
import { blocksQuery, blockStates, useUnblock, type Block } from "./api";
import { BlockDialog } from "./block-dialog";

const search = z.object({
  state: z
    .enum([...blockStates, "all"])
    .optional()
    .catch(undefined),
  sort: z.enum(["created_at", "-created_at", "until", "-until"]).optional().catch(undefined),
});

/** What nodes do not answer, until when, and which of them cannot hold it. */
export default function BlocksPage() {
  const { t } = useTranslation("abuse");
  const block = useBlock();
  const [place, setPlace] = useSearchState(search);
  const sort = place.sort ?? "-created_at";
  const state = place.state === "all" ? undefined : (place.state ?? "active");
  const list = useInfiniteQuery(blocksQuery(state, sort));
  const [adding, setAdding] = useState(false);
  const [lifting, setLifting] = useState<Block>();
  const add = (
    <Action kind="filled" icon={IconBan} reason={block} onClick={() => setAdding(true)}>
      {t("block.open")}
    </Action>
  );
  return (
    <>
      <AbuseHeader current="blocks" actions={add} />
      <div className={classes.tools}>
        <SavedViews
          label={t("views.label")}
          current={place.state ?? "active"}
          views={(["active", "ended", "lifted", "all"] as const).map((one) => ({
            key: one,
            label: one === "all" ? t("views.all") : t(`block.state.${one}`),
            link: { to: "/abuse/blocks", search: one === "active" ? {} : { state: one } },
          }))}
        />
      </div>
      <Listing
        list={list}
        label={t("blocks.tab")}
        columns={useColumns()}
        rowId={({ id }) => id}
        rowName={({ network }) => network}
        rowHeight="two"
        look={useTableLook("abuse-blocks")}
        sorting={{ value: sort, onChange: (value) => setPlace({ sort: value as typeof sort }) }}
        onCreate={block === undefined ? () => setAdding(true) : undefined}
        file={{ name: "abuse-blocks", fields }}
        menu={(one) =>
          one.state === "active" && (
            <RowMenu name={one.network}>
              <Menu.Item disabled={block !== undefined} onClick={() => setLifting(one)}>
                {t("unblock.open")}
              </Menu.Item>
            </RowMenu>
          )
        }
        phone={(one) => (
          <>
            <Name one={one} />
            <span className={classes.phone}>
              <Held one={one} />
              <RelativeTime at={one.until} />
            </span>
          </>
        )}
        empty={
          <EmptyState icon={IconShieldCheck} title={t("blocks.empty")} act={add}>
            {t("blocks.emptyText")}
          </EmptyState>
        }
      />
      {adding && <BlockDialog onClose={() => setAdding(false)} />}
      {lifting && <UnblockDialog one={lifting} onClose={() => setLifting(undefined)} />}
    </>
  );
}

function Name({ one }: { one: Block }) {
  return (
    <span className={classes.two}>
      <span className="strong mono">{one.network}</span>
      <span className={classes.second} title={one.reason}>
        {one.reason}
      </span>
    </span>
  );
}

/** What became of a block: quiet where every node holds it, told where one cannot. */
export function glyphOf({ state, nodes_held: held, nodes_waiting: waiting, nodes_failed: failed }: Block): GlyphKind {
  if (state !== "active") return "skipped";
  if (failed > 0) return held > 0 ? "degraded" : "down";
  return held > 0 && waiting === 0 ? "healthy" : "waiting";
}

function Held({ one, inTable }: { one: Block; inTable?: boolean }) {
  const { t } = useTranslation("abuse");
  const kind = glyphOf(one);
  if (one.state !== "active") return <Status kind={kind}>{t(`block.state.${one.state}`)}</Status>;
  const all = one.nodes_held + one.nodes_waiting + one.nodes_failed;
  return (
    <Status kind={kind} inTable={inTable}>
      {one.nodes_held + one.nodes_failed === 0
        ? t("block.waits")
        : t("block.held", { held: one.nodes_held, count: all })}
    </Status>
  );
}

/** Each node that does not hold it, and why. */
function Failures({ one }: { one: Block }) {
  const { t } = useTranslation("abuse");
  const said = one.errors.map(({ node, error, detail }) => {
    const why = t(`acts.error.${error}`, { defaultValue: error });
    return [`${node || t("gone")}: ${why}`, detail].filter(Boolean).join(", ");
  });
  if (said.length === 0) return <span className="dim">—</span>;
  return (
    <span className="soft" title={said.join("\n")}>
      {said.join("; ")}
    </span>
  );
}

function useColumns(): Column<Block>[] {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  return [
    { key: "network", head: t("block.network"), cell: (one) => <Name one={one} /> },
    { key: "held", head: t("block.heldHead"), width: 190, cell: (one) => <Held one={one} inTable /> },
    { key: "failures", head: t("block.failures"), width: 240, drop: 2, cell: (one) => <Failures one={one} /> },
    {
      key: "by",
      head: t("by"),
      width: 150,
      drop: 3,
      cell: ({ by, case_id: id }) => (
        <span className="soft">
          {by}
          {id && (
            <>
              {", "}
              <Link to={`/abuse/cases/${id}`}>{t("case.one")}</Link>
            </>
          )}
        </span>
      ),
    },
    {
      key: "until",
      head: t("block.until"),
      sort: "until",
      width: 130,
      cell: ({ state, until }) => (state === "active" ? <RelativeTime at={until} /> : format.moment(until)),
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

const fields: [string, (one: Block) => string | number][] = [
  ["network", ({ network }) => network],
  ["state", ({ state }) => state],
  ["reason", ({ reason }) => reason],
  ["by", ({ by }) => by],
  ["until", ({ until }) => until],
  ["nodes_held", ({ nodes_held: held }) => held],
  ["nodes_failed", ({ nodes_failed: failed }) => failed],
  ["errors", ({ errors }) => errors.map(({ node, error }) => `${node}: ${error}`).join("; ")],
  ["created_at", ({ created_at: at }) => at],
];

function UnblockDialog({ one, onClose }: { one: Block; onClose: () => void }) {
  const { t } = useTranslation("abuse");
  const unblock = useUnblock();
  const done = () => {
    toastDone(t("unblock.done", { network: one.network }));
    onClose();
  };
  return (
    <Confirm
      opened
      danger={false}
      onClose={onClose}
      onConfirm={() => unblock.mutate(one.id, { onSuccess: done })}
      title={t("unblock.title", { network: one.network })}
      verb={t("unblock.verb")}
      busy={unblock.isPending}
      error={unblock.error}
    >
      {t("unblock.text")}
    </Confirm>
  );
}
