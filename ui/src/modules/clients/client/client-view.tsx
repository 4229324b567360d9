import { Menu, Progress } from "@mantine/core";
import { IconDots, IconLink, IconPencil } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card, Facts } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { SlotPart, useSlot } from "@/components/slots/slots";
import { Tag } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat, useLanguage } from "@/text/use-format";
import type { ClientAct } from "../acts/effects";
import type { Client } from "../api";
import { End, State } from "../client-state";
import classes from "./client.module.css";
import { FlowsCard } from "./flows-card";
import { TrafficCard } from "./traffic-card";

interface ClientViewProps {
  client: Client;
  /** Who owns it; undefined where that may not be read. */
  owner: string | undefined;
  /** Why nothing may be changed. */
  block: string | undefined;
  onEdit: () => void;
  onAct: (act: ClientAct) => void;
  onAddress: () => void;
  onCloseAddress: () => void;
}

/** One client: what it may use and how much, its subscription, what it carried, and what was done to it. */
export function ClientView({ client, owner, block, onEdit, onAct, ...address }: ClientViewProps) {
  const revoked = client.state === "revoked";
  return (
    <>
      <PageHeader
        title={client.label}
        beside={<State state={client.state} />}
        meta={<Presence client={client} />}
        closed={block}
        actions={!revoked && <Acts client={client} block={block} onEdit={onEdit} onAct={onAct} />}
      />
      <Columns
        side={
          <>
            <AddressCard client={client} block={block} {...address} />
            <QuotaCard client={client} block={block} onReset={() => onAct("reset_traffic")} />
            <FactsCard client={client} owner={owner} />
          </>
        }
      >
        <FlowsCard client={client} block={block} onGive={() => onAct("give_flow")} />
        <TrafficCard id={client.id} />
        <Added id={client.id} />
      </Columns>
    </>
  );
}

function Presence({ client }: { client: Client }) {
  const { t } = useTranslation("clients");
  return (
    <>
      <Meta>
        {client.online ? (
          t("page.online")
        ) : client.last_seen_at ? (
          <>
            {t("page.seen")} <RelativeTime at={client.last_seen_at} />
          </>
        ) : (
          t("page.neverSeen")
        )}
      </Meta>
      {client.tags.length > 0 && (
        <Meta>
          <span className={classes.tags}>
            {client.tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </span>
        </Meta>
      )}
    </>
  );
}

function Acts({ client, block, onEdit, onAct }: Pick<ClientViewProps, "client" | "block" | "onEdit" | "onAct">) {
  const { t } = useTranslation("clients");
  const closed = block !== undefined;
  return (
    <>
      <Action icon={IconPencil} reason={block} onClick={onEdit}>
        {t("edit")}
      </Action>
      <Action reason={block} onClick={() => onAct(client.enabled ? "disable" : "enable")}>
        {t(client.enabled ? "disable" : "enable")}…
      </Action>
      <Menu position="bottom-end">
        <Menu.Target>
          <Action iconOnly icon={IconDots}>
            {t("bar.more")}
          </Action>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            disabled={closed || (client.expires_at === null && client.lasts_days === null)}
            onClick={() => onAct("extend")}
          >
            {t("bar.extend")}
          </Menu.Item>
          <Menu.Item disabled={closed} onClick={() => onAct("limits")}>
            {t("bar.limits")}
          </Menu.Item>
          <Menu.Item disabled={closed} onClick={() => onAct("tags")}>
            {t("bar.tags")}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item data-danger disabled={closed} onClick={() => onAct("revoke")}>
            {t("bar.revoke")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

type AddressCardProps = Pick<ClientViewProps, "client" | "block" | "onAddress" | "onCloseAddress">;

function AddressCard({ client, block, onAddress, onCloseAddress }: AddressCardProps) {
  const { t } = useTranslation("clients");
  if (client.state === "revoked") return null;
  return (
    <Card title={t("address.card")}>
      <div className={classes.stack}>
        <p className="soft">{t(client.has_public_link ? "address.has" : "address.hasNone")}</p>
        <div className={classes.row}>
          <Action
            icon={IconLink}
            kind={client.has_public_link ? undefined : "filled"}
            reason={block}
            onClick={onAddress}
          >
            {t(client.has_public_link ? "address.makeNew" : "address.make")}
          </Action>
          {client.has_public_link && (
            <Action kind="ghost" reason={block} onClick={onCloseAddress}>
              {t("address.close")}
            </Action>
          )}
        </div>
      </div>
    </Card>
  );
}

function QuotaCard({ client, block, onReset }: { client: Client; block: string | undefined; onReset: () => void }) {
  const { t } = useTranslation("clients");
  const format = useFormat();
  const used = client.used.up + client.used.down;
  const { quota } = client;
  return (
    <Card
      title={t("page.quota")}
      right={
        client.state !== "revoked" && (
          <Action size="bar" kind="ghost" reason={block} onClick={onReset}>
            {t("resetUsed")}
          </Action>
        )
      }
    >
      <div className={classes.stack}>
        <p>
          <span className="strong num">{format.bytes(used)}</span>{" "}
          <span className="soft num">
            {quota ? t("page.ofQuota", { quota: format.bytes(quota.bytes) }) : t("page.noQuota")}
          </span>
        </p>
        {quota && (
          <Progress
            value={Math.min(100, (100 * used) / quota.bytes)}
            color={used >= quota.bytes ? "var(--crit)" : "var(--accent)"}
            aria-label={t("page.quotaUsed")}
          />
        )}
        <p className="dim">
          {t("since", { when: format.moment(client.used.since) })}
          {quota && quota.reset !== "never" && `, ${t("page.resets", { when: t(`period.${quota.reset}`) })}`}
        </p>
      </div>
    </Card>
  );
}

function FactsCard({ client, owner }: { client: Client; owner: string | undefined }) {
  const { t } = useTranslation("clients");
  const format = useFormat();
  const total = (what: "up" | "down") => format.bytes(client.total[what]);
  const when = (at: string | null, none: string): ReactNode => (at ? <RelativeTime at={at} /> : none);
  const limit = (words: "page.speedLimit" | "page.addressLimit", value: number | undefined) =>
    value === undefined ? t("limits.none") : t(words, { value: format.number(value) });
  return (
    <Card title={t("page.facts")}>
      <Facts
        items={[
          { name: t("columns.expires"), value: <End client={client} /> },
          { name: t("page.speed"), value: limit("page.speedLimit", client.limits.speed_mbps) },
          { name: t("page.addresses"), value: limit("page.addressLimit", client.limits.addresses) },
          { name: t("page.total"), value: `${total("down")} ↓ ${total("up")} ↑` },
          { name: t("columns.created"), value: when(client.created_at, "") },
          ...(client.revoked_at ? [{ name: t("page.revokedAt"), value: when(client.revoked_at, "") }] : []),
          ...(owner === undefined ? [] : [{ name: t("page.owner"), value: owner }]),
          { name: t("form.note"), value: <span className={classes.note}>{client.note || t("page.noNote")}</span> },
        ]}
      />
    </Card>
  );
}

/** What other modules know of the client, such as its journal. */
function Added({ id }: { id: string }) {
  const language = useLanguage();
  return useSlot("clientParts").map((entry) => (
    <Card key={entry.key} title={entry.label[language]}>
      <SlotPart entry={entry} props={{ id }} />
    </Card>
  ));
}
