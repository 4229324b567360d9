import { Menu } from "@mantine/core";
import { IconPlus, IconQrcode } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { Confirm } from "@/components/dialog/confirm";
import { Card, Row, Rows } from "@/components/layout/card";
import { toastDone } from "@/components/state/toast";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import { useUse, type Client } from "../api";
import classes from "./client.module.css";
import { LinkDialog } from "./link-dialog";

type Use = Client["flows"][number];

interface FlowsCardProps {
  client: Client;
  block: string | undefined;
  onGive: () => void;
}

/** The flows that a client may use, each with what it carried there and its link. */
export function FlowsCard({ client, block, onGive }: FlowsCardProps) {
  const { t } = useTranslation("clients");
  const [linked, setLinked] = useState<Use>();
  const [leaving, setLeaving] = useState<Use>();
  const revoked = client.state === "revoked";
  return (
    <Card
      title={t("columns.flows")}
      aside={<span className="num">{client.flows.length}</span>}
      right={
        !revoked && (
          <Action size="bar" icon={IconPlus} reason={block} onClick={onGive}>
            {t("page.give")}
          </Action>
        )
      }
      flush
    >
      {client.flows.length === 0 ? (
        <p className={classes.quiet}>{t("page.noFlows")}</p>
      ) : (
        <Rows label={t("columns.flows")}>
          {client.flows.map((use) => (
            <Row key={use.flow_id} className={classes.flow}>
              <FlowUse
                client={client}
                use={use}
                block={block}
                onLink={() => setLinked(use)}
                onTake={() => setLeaving(use)}
              />
            </Row>
          ))}
        </Rows>
      )}
      {linked && <LinkDialog client={client} use={linked} onClose={() => setLinked(undefined)} />}
      {leaving && <Take client={client} use={leaving} onClose={() => setLeaving(undefined)} />}
    </Card>
  );
}

interface FlowUseProps {
  client: Client;
  use: Use;
  block: string | undefined;
  onLink: () => void;
  onTake: () => void;
}

function FlowUse({ client, use, block, onLink, onTake }: FlowUseProps) {
  const { t } = useTranslation("clients");
  const format = useFormat();
  const later = use.elsewhere ? "page.servedElsewhere" : use.by_apply ? "page.afterApply" : "page.afterNodes";
  const noLink = use.installed ? undefined : t(later);
  return (
    <>
      <Link to="/flows/$id" params={{ id: use.flow_id }} className={`strong ${classes.name}`}>
        {use.flow_name}
      </Link>
      <UseState active={client.state === "active"} use={use} />
      <span className={`num soft ${classes.carried}`}>{format.bytes(use.total.up + use.total.down)}</span>
      <span className={classes.acts}>
        {client.state === "active" && (
          <Action
            size="bar"
            icon={IconQrcode}
            reason={block ?? noLink}
            onClick={onLink}
            aria-label={t("page.linkOf", { flow: use.flow_name })}
          >
            {t("page.link")}
          </Action>
        )}
        <RowMenu name={use.flow_name}>
          <Menu.Item data-danger disabled={block !== undefined} onClick={onTake}>
            {t("page.take")}…
          </Menu.Item>
        </RowMenu>
      </span>
    </>
  );
}

/** Whether the nodes of the flow let the client in, and what that waits for. */
function UseState({ active, use }: { active: boolean; use: Use }) {
  const { t } = useTranslation("clients");
  if (active && use.installed) return <Status kind="in-sync">{t("page.works")}</Status>;
  if (active && use.elsewhere) return <Status kind="skipped">{t("page.elsewhere")}</Status>;
  if (active) return <Status kind="draft">{t(use.by_apply ? "page.waits" : "page.coming")}</Status>;
  if (use.installed) return <Status kind="applying">{t(use.by_apply ? "page.leavesByApply" : "page.leaves")}</Status>;
  return <Status kind="skipped">{t("page.out")}</Status>;
}

function Take({ client, use, onClose }: { client: Client; use: Use; onClose: () => void }) {
  const { t } = useTranslation("clients");
  const change = useUse();
  const values = { name: client.label, flow: use.flow_name };
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t("take.title", values)}
      consequences={[t("take.now"), t("take.secret")]}
      verb={t("take.verb")}
      busy={change.isPending}
      error={change.error}
      onConfirm={() =>
        change.mutate(
          { id: client.id, flow_id: use.flow_id, give: false },
          {
            onSuccess: () => {
              toastDone(t("take.done", values));
              onClose();
            },
          },
        )
      }
    />
  );
}
