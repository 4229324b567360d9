import { IconQrcode } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { Column } from "@/components/table/data-table";
import { RelativeTime } from "@/components/text/relative-time";
import { useEditor } from "../editor/editor-context";
import type { Client } from "../shared/api";
import { clientState, type ClientState } from "./clients-search";
import classes from "./clients.module.css";

export function useClientColumns(onLink: (client: Client) => void): Column<Client>[] {
  const { t } = useTranslation("flows");
  return [
    { key: "label", head: t("clients.label"), sort: "label", cell: (client) => <ClientName client={client} /> },
    {
      key: "state",
      head: t("clients.state"),
      sort: "state",
      width: 230,
      cell: (client) => <ClientStatus client={client} />,
    },
    {
      key: "created",
      head: t("clients.addedAt"),
      sort: "created_at",
      width: 130,
      drop: 1,
      cell: (client) => <RelativeTime at={client.created_at} />,
    },
    {
      key: "link",
      head: t("clients.link"),
      quietHead: true,
      width: 110,
      cell: (client) => <ClientLink client={client} onLink={onLink} />,
    },
  ];
}

export function ClientName({ client }: { client: Client }) {
  const { t } = useTranslation("flows");
  return (
    <span className={classes.name} title={client.label}>
      <span className="strong">{client.label}</span>{" "}
      {client.has_public_link && <span className="dim">{t("clients.hasPublicLink")}</span>}
    </span>
  );
}

/** Opens the link of a client; closed with the reason while the nodes do not let it in. */
export function ClientLink({ client, onLink }: { client: Client; onLink: (client: Client) => void }) {
  const { t } = useTranslation("flows");
  const { flow, closed } = useEditor();
  if (client.state !== "active") return null;
  const later = t(
    client.elsewhere ? "clients.servedElsewhere" : client.by_apply ? "clients.afterApply" : "clients.afterNodes",
  );
  const noLink = flow.installed_revision === null ? t("clients.noVersion") : client.installed ? undefined : later;
  return (
    <Action
      size="bar"
      icon={IconQrcode}
      onClick={() => onLink(client)}
      reason={closed ?? noLink}
      aria-label={t("clients.linkOf", { name: client.label })}
    >
      {t("clients.link")}
    </Action>
  );
}

const glyphs: Record<ClientState, GlyphKind> = {
  waits: "draft",
  coming: "applying",
  elsewhere: "skipped",
  leaves: "drifted",
  leaving: "applying",
  works: "in-sync",
  stopped: "skipped",
  spent: "drifted",
  expired: "drifted",
  disabled: "skipped",
  revoked: "skipped",
};

export function ClientStatus({ client }: { client: Client }) {
  const { t } = useTranslation("flows");
  const state = clientState(client, useEditor().flow);
  return <Status kind={glyphs[state]}>{t(state === "revoked" ? "clients.isRevoked" : `clients.${state}`)}</Status>;
}
