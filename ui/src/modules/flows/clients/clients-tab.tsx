import { Menu, Modal, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconDots, IconLink, IconPlus, IconQrcode, IconUser } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card, Row, Rows } from "@/components/layout/card";
import { Confirm } from "@/components/dialog/confirm";
import { FormProblems } from "@/components/form/form-problems";
import { ProblemView } from "@/components/state/problem-view";
import { RelativeTime } from "@/components/text/relative-time";
import { EmptyState, Skeleton } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { toastDone, toastProblem } from "@/components/state/toast";
import { clientsQuery, useAddClient, useClosePublicLink, useRevokeClient, type Client } from "../shared/api";
import classes from "./clients.module.css";
import dialog from "../shared/dialogs.module.css";
import { useEditor } from "../editor/editor-context";
import editor from "../editor/editor.module.css";
import { LinkDialog, PublicLinkDialog } from "./link-dialog";

/** Who may connect through the flow: add, hand out, revoke. */
export default function ClientsTab() {
  const { t } = useTranslation("flows");
  const { flow, closed } = useEditor();
  const clients = useQuery(clientsQuery(flow.id));
  const [adding, setAdding] = useState(false);
  const [linked, setLinked] = useState<Client>();
  const [shared, setShared] = useState<Client>();
  const [revoking, setRevoking] = useState<Client>();
  const revoke = useRevokeClient(flow.id);
  const list = [...(clients.data ?? [])].sort((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null));
  const live = list.filter((client) => client.revoked_at === null).length;
  return (
    <div className={editor.page}>
      <Card
        flush
        className={classes.card}
        title={t("clients.title")}
        aside={clients.data && t("clients.count", { count: live })}
        right={
          <Action icon={IconPlus} onClick={() => setAdding(true)} reason={closed}>
            {t("clients.add")}
          </Action>
        }
      >
        {clients.error && !clients.data && <ProblemView error={clients.error} onRetry={() => void clients.refetch()} />}
        {clients.isPending && <Skeleton rows={3} />}
        {clients.data?.length === 0 && (
          <EmptyState icon={IconUser} title={t("clients.none")}>
            {t("clients.noneText")}
          </EmptyState>
        )}
        {list.length > 0 && (
          <Rows label={t("clients.title")}>
            {list.map((client) => (
              <ClientRow
                key={client.id}
                client={client}
                onLink={() => setLinked(client)}
                onShare={() => setShared(client)}
                onRevoke={() => setRevoking(client)}
              />
            ))}
          </Rows>
        )}
      </Card>
      <p className={classes.note}>{t("clients.note")}</p>
      <AddClient opened={adding} onClose={() => setAdding(false)} />
      {linked && <LinkDialog flow={flow} client={linked} onClose={() => setLinked(undefined)} />}
      {shared && <PublicLinkDialog client={shared} onClose={() => setShared(undefined)} />}
      <Confirm
        opened={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={t("clients.revokeTitle", { name: revoking?.label })}
        consequences={[t("clients.revokeNow"), t("clients.revokeApply"), t("clients.revokeFinal")]}
        verb={t("clients.revoke")}
        busy={revoke.isPending}
        error={revoke.error}
        onConfirm={() =>
          revoke.mutate(revoking!.id, {
            onSuccess: () => {
              toastDone(t("clients.revoked", { name: revoking!.label }));
              setRevoking(undefined);
            },
          })
        }
      />
    </div>
  );
}

function ClientRow({
  client,
  onLink,
  onShare,
  onRevoke,
}: {
  client: Client;
  onLink: () => void;
  onShare: () => void;
  onRevoke: () => void;
}) {
  const { t } = useTranslation("flows");
  const { flow, closed } = useEditor();
  const closeLink = useClosePublicLink(flow.id);
  const revoked = client.revoked_at !== null;
  const noLink =
    flow.installed_revision === null ? t("clients.noVersion") : !client.installed ? t("clients.afterApply") : undefined;
  return (
    <Row className={classes.row}>
      <IconUser size={16} stroke={1.5} aria-hidden />
      <span className={classes.words}>
        <span className="strong">{client.label}</span>
        <span className="dim">
          {t("clients.since")} <RelativeTime at={client.created_at} />
          {client.has_public_link && `, ${t("clients.hasPublicLink")}`}
        </span>
      </span>
      <span className={classes.state}>
        {revoked ? (
          <Status kind="skipped">{t("clients.isRevoked")}</Status>
        ) : client.installed ? (
          <Status kind="in-sync">{t("clients.works")}</Status>
        ) : (
          <Status kind="draft">{t("clients.waits")}</Status>
        )}
      </span>
      {!revoked && (
        <span className={classes.acts}>
          <Action
            size="bar"
            icon={IconQrcode}
            onClick={onLink}
            reason={closed ?? noLink}
            aria-label={t("clients.linkOf", { name: client.label })}
          >
            {t("clients.link")}
          </Action>
          <Menu>
            <Menu.Target>
              <Action kind="ghost" size="bar" iconOnly icon={IconDots}>
                {t("clients.acts", { name: client.label })}
              </Action>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item
                leftSection={<IconLink size={15} stroke={1.6} aria-hidden />}
                disabled={closed !== undefined}
                onClick={onShare}
              >
                {t(client.has_public_link ? "clients.newPublicLink" : "clients.publicLink")}
              </Menu.Item>
              {client.has_public_link && (
                <Menu.Item
                  disabled={closed !== undefined}
                  onClick={() =>
                    closeLink.mutate(client.id, {
                      onSuccess: () => toastDone(t("clients.publicLinkClosed")),
                      onError: (error) => toastProblem(t("clients.publicLinkFailed"), error),
                    })
                  }
                >
                  {t("clients.closePublicLink")}
                </Menu.Item>
              )}
              <Menu.Divider />
              <Menu.Item data-danger disabled={closed !== undefined} onClick={onRevoke}>
                {t("clients.revoke")}…
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </span>
      )}
    </Row>
  );
}

function AddClient({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const add = useAddClient(flow.id);
  const [label, setLabel] = useState("");
  const close = () => {
    add.reset();
    setLabel("");
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (label.trim() === "") return;
    add.mutate(label.trim(), {
      onSuccess: (client) => {
        toastDone(t("clients.added", { name: client.label }), t("clients.waits"));
        close();
      },
    });
  };
  return (
    <Modal opened={opened} onClose={close} title={t("clients.addTitle")}>
      <form className={dialog.body} onSubmit={submit}>
        <FormProblems error={add.error} fields={{ "body.label": "client-label" }} />
        <TextInput
          id="client-label"
          size="md"
          label={t("clients.label")}
          description={t("clients.labelHelp")}
          value={label}
          maxLength={64}
          onChange={(event) => setLabel(event.currentTarget.value)}
          data-autofocus
          autoComplete="off"
        />
        <div className={dialog.foot}>
          <Action size="dialog" onClick={close}>
            {t("cancel")}
          </Action>
          <Action
            size="dialog"
            kind="filled"
            type="submit"
            busy={add.isPending}
            reason={label.trim() === "" ? t("clients.labelMissing") : undefined}
          >
            {t("clients.add")}
          </Action>
        </div>
      </form>
    </Modal>
  );
}
