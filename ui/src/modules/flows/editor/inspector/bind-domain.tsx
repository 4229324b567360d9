import { Autocomplete, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconWorldPlus } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { useAccess, useWriteBlock } from "@/api/access";
import { useCdnAccounts } from "@/api/cdn-accounts";
import { fieldErrors, isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { ProblemNote } from "@/components/state/problem-view";
import { ownZonesQuery, useBindDomain, type DomainMode } from "../../shared/api";
import { useEditor, usePlaces } from "../editor-context";
import classes from "./form.module.css";

interface BindDomainProps {
  nodeId: string;
  /** Gets the id of the new domain, which leads to the node. */
  onBound: (id: string) => void;
}

/**
 * Binds a domain to the node of an entry without leaving the drawing. A domain belongs to the account that binds it, so
 * that only the owner of a flow is offered it.
 */
export function BindDomain({ nodeId, onBound }: BindDomainProps) {
  const { t } = useTranslation("flows");
  const { flow, closed } = useEditor();
  const { account } = useAccess();
  const block = useWriteBlock({ needs: "nodes.edit" });
  const [open, setOpen] = useState(false);
  if (account?.id !== flow.owner_id) return null;
  return (
    <div className={classes.wide}>
      <Action kind="link" icon={IconWorldPlus} reason={closed ?? block} onClick={() => setOpen(true)}>
        {t("bind.act")}
      </Action>
      <FormModal opened={open} onClose={() => setOpen(false)} title={t("bind.title")}>
        {open && <BindForm nodeId={nodeId} owner={flow.owner_id} onBound={onBound} onClose={() => setOpen(false)} />}
      </FormModal>
    </div>
  );
}

/** Ways to reach a host name that an entry can be reached by. */
const modes: readonly DomainMode[] = ["direct", "cdn", "relay"];

function BindForm({ nodeId, owner, onBound, onClose }: BindDomainProps & { owner: string; onClose: () => void }) {
  const { t } = useTranslation("flows");
  const server = usePlaces().servers.get(nodeId);
  const zones = useQuery(ownZonesQuery(owner)).data ?? [];
  const bind = useBindDomain();
  const [zone, setZone] = useState("");
  const [label, setLabel] = useState("");
  const [mode, setMode] = useState<DomainMode>("direct");
  const [cdn, setCdn] = useState("");
  const accounts = useCdnAccounts(mode === "cdn");
  const refused = fieldErrors(bind.error);
  const close = useTyped(zone.trim() !== "" || label.trim() !== "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!zone.trim() || bind.isPending) return;
    const body = {
      node_id: nodeId,
      zone: zone.trim(),
      mode,
      ...(label.trim() && { label: label.trim() }),
      ...(mode === "cdn" && cdn && { cdn_integration_id: cdn }),
    };
    bind.mutate(body, {
      onSuccess: ({ id }) => {
        onBound(id);
        onClose();
      },
    });
  };
  return (
    <DialogForm onSubmit={submit}>
      {isProblem(bind.error, "domain_conflict") ? (
        <ProblemNote error={bind.error}>{t("bind.taken")}</ProblemNote>
      ) : (
        <FormProblems error={bind.error} fields={{ zone: "bind-zone", label: "bind-label" }} />
      )}
      <Autocomplete
        size="md"
        data-autofocus
        id="bind-zone"
        label={t("bind.zone")}
        description={t("bind.zoneHelp")}
        placeholder="example.net"
        data={zones}
        value={zone}
        onChange={setZone}
        spellCheck={false}
        error={refused.zone}
      />
      <TextInput
        size="md"
        id="bind-label"
        label={t("bind.label")}
        description={t("bind.labelHelp")}
        placeholder={server?.name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-")}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
        spellCheck={false}
        error={refused.label}
      />
      <Select
        size="md"
        label={t("bind.mode")}
        data={modes.map((value) => ({ value, label: t(`bind.modes.${value}`) }))}
        value={mode}
        onChange={(value) => setMode(value as DomainMode)}
        allowDeselect={false}
      />
      {mode === "cdn" && accounts.length > 0 && (
        <Select
          size="md"
          label={t("bind.network")}
          data={[
            { value: "", label: t("bind.ownNetwork") },
            ...accounts.map(({ id, label: name }) => ({ value: id, label: name })),
          ]}
          value={cdn}
          onChange={(value) => setCdn(value ?? "")}
          allowDeselect={false}
          error={refused.cdn_integration_id}
        />
      )}
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("cancel")}
        </Action>
        <Action
          size="dialog"
          kind="filled"
          type="submit"
          busy={bind.isPending}
          reason={zone.trim() ? undefined : t("bind.missing")}
        >
          {t("bind.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
