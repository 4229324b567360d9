import { Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { RowMenu } from "@/components/action/row-menu";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, type ViewState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { DataTable, type Column } from "@/components/table/data-table";
import type { RowsFile } from "@/components/table/save-rows";
import { RelativeTime } from "@/components/text/relative-time";
import { lastDeliveryQuery, messenger as messengerId, type Channel, type LastDelivery } from "./api";
import classes from "./notifications.module.css";
import { stateGlyphs } from "./words";

/** One line of the table: the messenger of the settings, or a channel. */
export interface ChannelLine {
  id: string;
  name: string;
  kind: "messenger" | "webhook" | "email";
  target: string;
  state: "on" | "off" | "unset";
  channel?: Channel;
}

interface ChannelsProps {
  state: ViewState<Channel[]>;
  /** What the settings say of the messenger; undefined while they are not known. */
  messenger: { configured: boolean; chat: string } | undefined;
  block: string | undefined;
  onEdit: (channel: Channel) => void;
  onRemove: (channel: Channel) => void;
  onTest: (channel: Channel) => void;
}

const file: RowsFile<ChannelLine> = {
  name: "notification-channels",
  fields: [
    ["name", (line) => line.name],
    ["kind", (line) => line.kind],
    ["target", (line) => line.target],
    ["state", (line) => line.state],
    ["id", (line) => line.id],
  ],
};

export function ChannelsView({ state, messenger, block, onEdit, onRemove, onTest }: ChannelsProps) {
  const { t } = useTranslation("notifications");
  if (state.kind === "loading") return <Skeleton rows={4} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} tried={t("channels.loadFailed")} onRetry={state.retry} />;
  const lines: ChannelLine[] = [
    {
      id: messengerId,
      name: t("kind.messenger"),
      kind: "messenger",
      target: messenger?.chat ? t("channels.chat", { chat: messenger.chat }) : "",
      state: messenger?.configured ? "on" : "unset",
    },
    ...state.data.map(lineOf),
  ];
  const columns: Column<ChannelLine>[] = [
    {
      key: "name",
      head: t("channels.name"),
      cell: (line) => <LineName line={line} block={block} onEdit={onEdit} />,
    },
    { key: "kind", head: t("channels.kind"), width: 120, drop: 1, cell: (line) => t(`kind.${line.kind}`) },
    {
      key: "target",
      head: t("channels.target"),
      width: 240,
      drop: 2,
      cell: (line) => <span title={line.target}>{line.target || "—"}</span>,
    },
    { key: "state", head: t("channels.state"), width: 130, cell: (line) => <LineState line={line} /> },
    { key: "last", head: t("channels.last"), width: 220, cell: (line) => <Last line={line} /> },
  ];
  return (
    <DataTable
      label={t("channels.title")}
      rows={lines}
      total={lines.length}
      columns={columns}
      rowId={(line) => line.id}
      rowName={(line) => line.name}
      file={file}
      onEdit={({ channel }) => block === undefined && channel && onEdit(channel)}
      menu={(line) => <Acts line={line} block={block} onEdit={onEdit} onRemove={onRemove} onTest={onTest} />}
      phone={(line) => (
        <span className={classes.phone}>
          <LineName line={line} block={block} onEdit={onEdit} />
          <span className="dim">{[t(`kind.${line.kind}`), line.target].filter(Boolean).join(" · ")}</span>
          <span className={classes.line}>
            <LineState line={line} /> <Last line={line} />
          </span>
        </span>
      )}
    />
  );
}

function lineOf(channel: Channel): ChannelLine {
  const { id, name, kind, enabled } = channel;
  const target = channel.webhook?.host ?? channel.email?.to.join(", ") ?? "";
  return { id, name, kind, target, state: enabled ? "on" : "off", channel };
}

function LineName({ line, block, onEdit }: { line: ChannelLine } & Pick<ChannelsProps, "block" | "onEdit">) {
  const { t } = useTranslation("notifications");
  const { channel } = line;
  if (!channel)
    return (
      <Link to="/notifications/settings" className="strong" aria-label={t("channels.messengerSettings")}>
        {line.name}
      </Link>
    );
  if (block !== undefined) return <span className="strong">{line.name}</span>;
  return (
    <button type="button" className={classes.name} onClick={() => onEdit(channel)}>
      {line.name}
    </button>
  );
}

const lineGlyphs = { on: "healthy", off: "skipped", unset: "never" } as const;

function LineState({ line: { state } }: { line: ChannelLine }) {
  const { t } = useTranslation("notifications");
  return <Status kind={lineGlyphs[state]}>{t(`channels.is.${state}`)}</Status>;
}

function Last({ line: { channel } }: { line: ChannelLine }) {
  return channel ? <HowItWent last={channel.last_delivery} /> : <LastOfMessenger />;
}

/** The messenger is no row of the list, which says it of the others. */
function LastOfMessenger() {
  const { t } = useTranslation("notifications");
  const last = useQuery(lastDeliveryQuery(messengerId));
  if (last.data === undefined) return <span className="dim">{last.error ? t("channels.lastUnknown") : ""}</span>;
  return <HowItWent last={last.data} />;
}

/** How the newest message of a channel went, and when. */
function HowItWent({ last }: { last: LastDelivery | null | undefined }) {
  const { t } = useTranslation("notifications");
  if (!last) return <span className="dim">{t("channels.never")}</span>;
  const { state, finished_at: finished, created_at: created } = last;
  return (
    <span className={classes.line}>
      <Status kind={stateGlyphs[state]} inTable>
        {t(`state.${state}`)}
      </Status>
      <span className="dim">
        <RelativeTime at={finished ?? created} />
      </span>
    </span>
  );
}

function Acts({
  line,
  block,
  onEdit,
  onRemove,
  onTest,
}: { line: ChannelLine } & Pick<ChannelsProps, "block" | "onEdit" | "onRemove" | "onTest">) {
  const { t } = useTranslation("notifications");
  const { channel } = line;
  if (!channel) return null;
  const closed = { disabled: block !== undefined, title: block };
  return (
    <RowMenu name={line.name}>
      <Menu.Item {...closed} onClick={() => onTest(channel)}>
        {t("test.act")}
      </Menu.Item>
      <Menu.Item {...closed} onClick={() => onEdit(channel)}>
        {t("edit")}
      </Menu.Item>
      <Menu.Item {...closed} color="red" onClick={() => onRemove(channel)}>
        {t("channels.remove")}
      </Menu.Item>
    </RowMenu>
  );
}
