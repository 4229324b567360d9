import { Modal, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogBody, DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { useClosing } from "@/components/form/use-closing";
import { Glyph } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { useEditor, usePlaces } from "../editor/editor-context";
import plan from "../plan/plan.module.css";
import { useCompileNow } from "../plan/use-compile-now";
import { clientLetInQuery, trafficQuery, useAddClient, type Client } from "../shared/api";
import { serves } from "../shared/states";
import classes from "./clients.module.css";

/** Adds a client, then says what that has changed; where it works only after an apply, with the button for it. */
export function AddClient({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("flows");
  const [added, setAdded] = useState<Client>();
  const [label, setLabel] = useState("");
  const close = useClosing(added === undefined && label !== "", onClose);
  return (
    <Modal
      opened
      onClose={close}
      title={added ? t("clients.addedTitle", { name: added.label }) : t("clients.addTitle")}
    >
      {added ? (
        <WhatNext client={added} onClose={onClose} onAnother={() => setAdded(undefined)} />
      ) : (
        <NameForm
          label={label}
          onLabel={setLabel}
          onClose={close}
          onAdded={(client) => {
            setAdded(client);
            setLabel("");
          }}
        />
      )}
    </Modal>
  );
}

interface NameFormProps {
  label: string;
  onLabel: (label: string) => void;
  onClose: () => void;
  onAdded: (client: Client) => void;
}

function NameForm({ label, onLabel, onClose, onAdded }: NameFormProps) {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const add = useAddClient(flow.id);
  const empty = label.trim() === "";
  return (
    <DialogForm
      onSubmit={(event) => {
        event.preventDefault();
        if (!empty) add.mutate(label.trim(), { onSuccess: onAdded });
      }}
    >
      <FormProblems error={add.error} fields={{ "body.label": "client-label" }} />
      <TextInput
        id="client-label"
        size="md"
        label={t("clients.label")}
        description={t("clients.labelHelp")}
        value={label}
        maxLength={64}
        onChange={(event) => onLabel(event.currentTarget.value)}
        data-autofocus
        autoComplete="off"
      />
      <ListPlan name={label.trim()} />
      <DialogFoot>
        <Action size="dialog" onClick={onClose}>
          {t("cancel")}
        </Action>
        <Action
          size="dialog"
          kind="filled"
          type="submit"
          busy={add.isPending}
          reason={empty ? t("clients.labelMissing") : undefined}
        >
          {t(serves(flow) ? "clients.addAndInstall" : "clients.add")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

/** What adding changes on each installed entry, drawn as a plan is; nothing where nothing is installed. */
function ListPlan({ name }: { name: string }) {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const { servers } = usePlaces();
  const traffic = useQuery({ ...trafficQuery(flow.id), enabled: serves(flow) }).data;
  const nodes = [...new Set(traffic?.entries.map(({ node_id }) => node_id))];
  if (!serves(flow) || nodes.length === 0) return null;
  return (
    <section aria-label={t("clients.plan")} className={classes.plan}>
      <h3>
        {t("clients.plan")} <Status kind="healthy">{t("plan.noInterruption")}</Status>
      </h3>
      <ul className={plan.changes}>
        {nodes.map((id) => (
          <li key={id} className={plan.change} data-op="added">
            <span className={plan.sign} aria-label={t("compare.added")} role="img">
              +
            </span>
            <span>{servers.get(id)?.name ?? id.slice(-6)}</span>
            <span>{name ? t("clients.planLine", { name }) : t("clients.planAny")}</span>
          </li>
        ))}
      </ul>
      <p className="soft">{t("clients.noInterruption")}</p>
    </section>
  );
}

interface WhatNextProps {
  client: Client;
  onClose: () => void;
  onAnother: () => void;
}

function WhatNext({ client, onClose, onAnother }: WhatNextProps) {
  if (client.elsewhere) return <NotHere onClose={onClose} onAnother={onAnother} />;
  return client.by_apply ? (
    <ApplyNext onClose={onClose} onAnother={onAnother} />
  ) : (
    <Installing client={client} onClose={onClose} onAnother={onAnother} />
  );
}

/** The change of the list as its plan: what the nodes take over by themselves, and that nothing is interrupted. */
function Installing({ client, onClose, onAnother }: WhatNextProps) {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const installed = useQuery(clientLetInQuery(flow.id, client.id)).data === true;
  return (
    <DialogBody>
      <p role="status">
        <Glyph kind={installed ? "in-sync" : "applying"} /> {installed ? t("clients.letIn") : t("clients.givenToNodes")}
      </p>
      <ListPlan name={client.label} />
      <NextActions onClose={onClose} onAnother={onAnother} />
    </DialogBody>
  );
}

/** A flow that a proxy panel serves lets in none of our clients, and no apply changes that. */
function NotHere({ onClose, onAnother }: Omit<WhatNextProps, "client">) {
  const { t } = useTranslation("flows");
  return (
    <DialogBody>
      <p role="status">
        <Glyph kind="skipped" /> {t("clients.servedElsewhere")}
      </p>
      <NextActions onClose={onClose} onAnother={onAnother} />
    </DialogBody>
  );
}

function NextActions({ onClose, onAnother }: Omit<WhatNextProps, "client">) {
  const { t } = useTranslation("flows");
  return (
    <DialogFoot>
      <Action size="dialog" onClick={onAnother}>
        {t("clients.another")}
      </Action>
      <Action size="dialog" kind="filled" onClick={onClose} data-autofocus>
        {t("clients.done")}
      </Action>
    </DialogFoot>
  );
}

function ApplyNext({ onClose, onAnother }: Omit<WhatNextProps, "client">) {
  const { t } = useTranslation("flows");
  const { flow, changes } = useEditor();
  const compile = useCompileNow(flow.id);
  return (
    <DialogBody>
      <p>{t("clients.addedText")}</p>
      {changes && changes.length > 0 && <p className="soft">{t("clients.alsoDraft", { count: changes.length })}</p>}
      <DialogFoot>
        <Action size="dialog" onClick={onClose}>
          {t("clients.later")}
        </Action>
        <Action size="dialog" onClick={onAnother}>
          {t("clients.another")}
        </Action>
        <Action
          size="dialog"
          kind="filled"
          icon={IconPlayerPlay}
          busy={compile.busy}
          reason={compile.blocked}
          onClick={compile.start}
          data-autofocus
        >
          {t("next.compile")}
        </Action>
      </DialogFoot>
    </DialogBody>
  );
}
