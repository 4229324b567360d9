import { Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors, isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { ProblemNote } from "@/components/state/problem-view";
import { toastDone } from "@/components/state/toast";
import { bindingModes, nodesNamedQuery, useBind, type Binding } from "./api";

interface BindDialogProps {
  onClose: () => void;
  onBound: (binding: Binding) => void;
}

/** Binds a host name to a node that is found by its name. Draw it only while it is open. */
export function BindDialog({ onClose, onBound }: BindDialogProps) {
  const { t } = useTranslation("cdn-dns");
  return (
    <FormModal opened onClose={onClose} title={t("bind.title")}>
      <BindForm onBound={onBound} />
    </FormModal>
  );
}

const pause = 250;

function BindForm({ onBound }: Pick<BindDialogProps, "onBound">) {
  const { t } = useTranslation("cdn-dns");
  const [sought, setSought] = useState("");
  const [text] = useDebouncedValue(sought, pause);
  const nodes = useQuery(nodesNamedQuery(text)).data ?? [];
  const [node, setNode] = useState<string | null>(null);
  const [label, setLabel] = useState("");
  const [zone, setZone] = useState("");
  const [mode, setMode] = useState<Binding["mode"]>("direct");
  const bind = useBind();
  const refused = fieldErrors(bind.error);
  const close = useTyped((node !== null || label !== "" || zone !== "") && !bind.isPending && !bind.isSuccess);
  const missing = node === null ? t("bind.noNode") : zone.trim() === "" ? t("bind.noZone") : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (node === null || missing) return;
    const body = { node_id: node, zone: zone.trim(), mode, ...(label.trim() && { label: label.trim() }) };
    bind.mutate(body, {
      onSuccess: (binding) => {
        toastDone(t("bind.done", { name: binding.hostname }));
        onBound(binding);
      },
    });
  };
  return (
    <DialogForm onSubmit={submit}>
      {isProblem(bind.error, "domain_conflict") ? (
        <ProblemNote error={bind.error}>{t("bind.taken")}</ProblemNote>
      ) : (
        <FormProblems error={bind.error} fields={{ node_id: "bind-node", zone: "bind-zone", label: "bind-label" }} />
      )}
      <Select
        id="bind-node"
        size="md"
        data-autofocus
        label={t("binding.node")}
        placeholder={t("bind.find")}
        data={nodes.map(({ id, name }) => ({ value: id, label: name }))}
        searchable
        searchValue={sought}
        onSearchChange={setSought}
        nothingFoundMessage={t("bind.noneFound")}
        value={node}
        onChange={setNode}
        error={refused.node_id}
      />
      <TextInput
        id="bind-label"
        size="md"
        label={t("bind.label")}
        description={t("bind.labelHelp")}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
        error={refused.label}
      />
      <TextInput
        id="bind-zone"
        size="md"
        label={t("bind.zone")}
        description={t("bind.zoneHelp")}
        placeholder="example.net"
        value={zone}
        onChange={(event) => setZone(event.currentTarget.value)}
        error={refused.zone}
      />
      <Select
        size="md"
        label={t("binding.mode")}
        data={bindingModes.map((value) => ({ value, label: t(`mode.${value}`) }))}
        value={mode}
        onChange={(value) => value && setMode(value as Binding["mode"])}
        allowDeselect={false}
      />
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={bind.isPending} reason={missing}>
          {t("bind.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
