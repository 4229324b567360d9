import { MultiSelect, Select, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { fieldErrors } from "@/api/problem";
import { useRequestKey } from "@/api/request-key";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { useFormat } from "@/text/use-format";
import { nodesQuery } from "../shared/nodes";
import { useBlockNetwork } from "./api";

/** Keeps nodes from answering an address or network for a time. */
export function BlockDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("abuse");
  return (
    <FormModal opened onClose={onClose} title={t("block.title")}>
      <BlockForm onClose={onClose} />
    </FormModal>
  );
}

const minutes = [15, 60, 360, 1_440, 10_080];
const ids = { network: "block-network", minutes: "block-minutes", node_ids: "block-nodes", reason: "block-reason" };

function BlockForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const { can } = useAccess();
  const send = useBlockNetwork();
  const nodes = useQuery({ ...nodesQuery, enabled: can("nodes.view") }).data ?? [];
  const [network, setNetwork] = useState("");
  const [span, setSpan] = useState(60);
  const [only, setOnly] = useState<string[]>([]);
  const [reason, setReason] = useState("");
  const body = {
    network: network.trim(),
    minutes: span,
    reason: reason.trim(),
    ...(only.length > 0 && { node_ids: only }),
  };
  const key = useRequestKey(body);
  const close = useTyped((network.trim() !== "" || reason.trim() !== "") && !send.isSuccess);
  const wrong = fieldErrors(send.error);
  const missing = body.network === "" || body.reason === "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (missing || send.isPending) return;
    const done = () => {
      toastDone(t("block.done", { network: body.network }), t("block.doneText"));
      onClose();
    };
    send.mutate({ ...body, key }, { onSuccess: done });
  };
  return (
    <DialogForm onSubmit={submit}>
      <p className="soft">{t("act.block_ips.text")}</p>
      <FormProblems error={send.error} fields={ids} />
      <TextInput
        id={ids.network}
        size="md"
        data-autofocus
        label={t("block.network")}
        description={t("block.networkHelp")}
        placeholder="198.51.100.7"
        maxLength={64}
        spellCheck={false}
        autoComplete="off"
        value={network}
        onChange={(event) => setNetwork(event.currentTarget.value)}
        error={wrong.network}
      />
      <Select
        id={ids.minutes}
        size="md"
        label={t("act.until")}
        description={t("act.untilHelpAway")}
        allowDeselect={false}
        data={minutes.map((value) => ({ value: String(value), label: format.span(value * 60) }))}
        value={String(span)}
        onChange={(value) => setSpan(Number(value))}
        error={wrong.minutes}
      />
      {nodes.length > 0 && (
        <MultiSelect
          id={ids.node_ids}
          size="md"
          label={t("block.nodes")}
          description={t("block.nodesHelp")}
          placeholder={only.length === 0 ? t("block.allNodes") : undefined}
          data={nodes}
          searchable
          value={only}
          onChange={setOnly}
          error={wrong.node_ids}
        />
      )}
      <Textarea
        id={ids.reason}
        size="md"
        label={t("act.reason")}
        description={t("block.reasonHelp")}
        maxLength={500}
        autosize
        minRows={2}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={wrong.reason}
      />
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("cancel")}
        </Action>
        <Action
          size="dialog"
          kind="filled"
          type="submit"
          busy={send.isPending}
          reason={missing ? t("block.missing") : undefined}
        >
          {t("block.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
