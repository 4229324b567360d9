import { MultiSelect, NumberInput, Select, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { useRequestKey } from "@/api/request-key";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { flowNamesQuery, useAddClient, useChangeClient, type Client } from "./api";
import classes from "./clients.module.css";
import { LimitsFields } from "./limits-fields";
import { ending, timeOf, TimeFields } from "./time-fields";

const gigabyte = 1_073_741_824;
const resets = ["never", "daily", "weekly", "monthly"] as const;

/** Adds a client or changes one; draws nothing without either. */
export function ClientDialog({ client, onClose }: { client: Client | "new" | undefined; onClose: () => void }) {
  const { t } = useTranslation("clients");
  const title = client === "new" ? t("form.addTitle") : t("form.editTitle", { name: client?.label ?? "" });
  return (
    <FormModal opened={client !== undefined} onClose={onClose} title={title}>
      {client !== undefined && <ClientForm client={client === "new" ? undefined : client} onClose={onClose} />}
    </FormModal>
  );
}

function ClientForm({ client, onClose }: { client: Client | undefined; onClose: () => void }) {
  const { t } = useTranslation("clients");
  const add = useAddClient();
  const change = useChangeClient();
  const { error, isPending } = client ? change : add;
  const known = useQuery(flowNamesQuery).data ?? [];
  const [label, setLabel] = useState(client?.label ?? "");
  const [note, setNote] = useState(client?.note ?? "");
  const [tags, setTags] = useState(client?.tags ?? []);
  const [time, setTime] = useState(() => timeOf(client));
  const [gigabytes, setGigabytes] = useState<number | string>(client?.quota ? client.quota.bytes / gigabyte : "");
  const [reset, setReset] = useState(client?.quota?.reset ?? "never");
  const [limits, setLimits] = useState(client?.limits ?? {});
  const [flows, setFlows] = useState(client?.flows.map((use) => use.flow_id) ?? []);
  const [tried, setTried] = useState(false);
  const typed = { label: label.trim(), note, tags };
  const quota = Number(gigabytes) > 0 ? { bytes: Math.round(Number(gigabytes) * gigabyte), reset } : undefined;
  const asked = { ...typed, time, quota, limits, flows };
  const key = useRequestKey(asked);
  const [before] = useState(() => JSON.stringify(asked));
  const close = useTyped(JSON.stringify(asked) !== before);
  const wrong = fieldErrors(error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!typed.label || isPending) return;
    const onSuccess = () => {
      toastDone(t(client ? "form.changed" : "form.added", { name: typed.label }));
      onClose();
    };
    const end = ending(time, client);
    const most = JSON.stringify(limits) === JSON.stringify(client?.limits ?? {}) ? {} : { limits };
    const limit = quota ? { quota } : client?.quota ? { no_quota: true } : {};
    if (client) change.mutate({ client, change: { ...typed, ...end, ...limit, ...most }, flows }, { onSuccess });
    else add.mutate({ ...typed, ...end, quota, ...most, flow_ids: flows, key }, { onSuccess });
  };
  const ids = {
    label: "client-label",
    note: "client-note",
    flow_ids: "client-flows",
    expires_at: "client-expires",
    lasts_days: "client-days",
    quota: "client-quota",
    "limits.speed_mbps": "client-speed",
    "limits.addresses": "client-addresses",
    tags: "client-tags",
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems error={error} fields={ids} />
      <TextInput
        size="md"
        id={ids.label}
        data-autofocus
        autoComplete="off"
        maxLength={64}
        label={t("columns.label")}
        description={t("form.labelHelp")}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
        error={(tried && !typed.label && t("form.labelMissing")) || wrong.label}
      />
      <MultiSelect
        size="md"
        id={ids.flow_ids}
        label={t("columns.flows")}
        description={t("form.flowsHelp")}
        data={known}
        value={flows}
        onChange={setFlows}
        searchable
        hidePickedOptions
        placeholder={flows.length === 0 ? t("form.flowsChoose") : undefined}
        nothingFoundMessage={t("form.flowsNone")}
        error={wrong.flow_ids}
      />
      <TimeFields
        time={time}
        onChange={setTime}
        seen={Boolean(client?.last_seen_at)}
        ids={{ until: ids.expires_at, days: ids.lasts_days }}
        errors={{ until: wrong.expires_at, days: wrong.lasts_days }}
      />
      <div className={classes.limits}>
        <NumberInput
          size="md"
          id={ids.quota}
          label={t("form.quota")}
          description={t("form.quotaHelp")}
          min={0}
          max={8_000_000}
          decimalScale={3}
          value={gigabytes}
          onChange={setGigabytes}
          error={wrong.quota}
        />
        <Select
          size="md"
          label={t("form.reset")}
          description={t("form.resetHelp")}
          data={resets.map((value) => ({ value, label: t(`period.${value}`) }))}
          value={reset}
          allowDeselect={false}
          disabled={!quota}
          onChange={(value) => setReset((value ?? "never") as typeof reset)}
        />
      </div>
      <LimitsFields
        limits={limits}
        onChange={setLimits}
        ids={{ speed: ids["limits.speed_mbps"], addresses: ids["limits.addresses"] }}
        errors={{ speed: wrong["limits.speed_mbps"], addresses: wrong["limits.addresses"] }}
      />
      <TagsInput
        size="md"
        id={ids.tags}
        label={t("columns.tags")}
        description={t("form.tagsHelp")}
        maxTags={20}
        maxLength={32}
        value={tags}
        onChange={setTags}
        error={wrong.tags}
      />
      <Textarea
        size="md"
        id={ids.note}
        maxLength={1000}
        autosize
        minRows={2}
        label={t("form.note")}
        description={t("form.noteHelp")}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        error={wrong.note}
      />
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={isPending}>
          {t(client ? "form.save" : "add")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
