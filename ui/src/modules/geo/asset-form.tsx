import { Checkbox, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { presetsQuery, useAddAsset, useChangeAsset, type Asset } from "./api";
import { addedAsset, changedAsset, chosen, draftOf, files, fixedName, type Draft, type FileKind } from "./draft";
import classes from "./geo.module.css";

interface AssetFormProps {
  asset: Asset | undefined;
  onClose: () => void;
}

/** The fields of a file: what it is, where it comes from, and when it is fetched. */
export function AssetForm({ asset, onClose }: AssetFormProps) {
  const { t } = useTranslation("geo");
  const presets = useQuery(presetsQuery).data ?? [];
  const add = useAddAsset();
  const change = useChangeAsset();
  const [first] = useState(() => draftOf(asset));
  const [written, setWritten] = useState<Draft>();
  const draft = written ?? (asset ? first : chosen(first, {}, presets));
  const set = (some: Partial<Draft>) => setWritten({ ...draft, ...some });
  const choose = (some: Parameters<typeof chosen>[1]) => setWritten(chosen(draft, some, presets));
  const cancel = useTyped(written !== undefined && JSON.stringify(written) !== JSON.stringify(first));
  const running = asset ? change : add;
  const wrong = fieldErrors(running.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (running.isPending) return;
    const onSuccess = () => {
      toastDone(t(asset ? "form.changed" : "form.added", { name: draft.name }));
      onClose();
    };
    if (asset) change.mutate({ id: asset.id, ...changedAsset(draft, asset) }, { onSuccess });
    else add.mutate(addedAsset(draft), { onSuccess });
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems
        error={running.error}
        fields={{
          name: "geo-name",
          source_url: "geo-source",
          checksum_url: "geo-checksum",
          "schedule.cron": "geo-cron",
        }}
      />
      <div className={classes.pair}>
        <Select
          size="md"
          label={t("form.file")}
          data-autofocus
          disabled={asset !== undefined}
          allowDeselect={false}
          data={files.map((value) => ({ value, label: t(`file.${value}`) }))}
          value={draft.file}
          onChange={(file) => file && choose({ file: file as FileKind })}
        />
        <Select
          size="md"
          label={t("form.preset")}
          allowDeselect={false}
          data={[
            ...presets.filter(({ file }) => file === draft.file).map(({ preset }) => preset),
            "custom" as const,
          ].map((value) => ({ value, label: t(`preset.${value}`) }))}
          value={draft.preset}
          onChange={(preset) => preset && choose({ preset: preset as Draft["preset"] })}
        />
      </div>
      {fixedName(draft.file) === undefined && (
        <TextInput
          size="md"
          id="geo-name"
          required
          label={t("form.name")}
          description={t(draft.file === "mmdb" ? "form.nameMmdb" : "form.nameCustom")}
          placeholder={draft.file === "mmdb" ? "country.mmdb" : "own.dat"}
          autoComplete="off"
          spellCheck={false}
          maxLength={64}
          disabled={asset !== undefined}
          value={draft.name}
          error={wrong.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
      )}
      <TextInput
        size="md"
        id="geo-source"
        required
        type="url"
        label={t("form.source")}
        description={t("form.sourceHelp")}
        spellCheck={false}
        autoComplete="off"
        readOnly={draft.preset !== "custom"}
        value={draft.source_url}
        error={wrong.source_url}
        onChange={(event) => set({ source_url: event.currentTarget.value })}
      />
      <TextInput
        size="md"
        id="geo-checksum"
        type="url"
        label={t("form.checksum")}
        description={t("form.checksumHelp")}
        spellCheck={false}
        autoComplete="off"
        readOnly={draft.preset !== "custom"}
        value={draft.checksum_url}
        error={wrong.checksum_url}
        onChange={(event) => set({ checksum_url: event.currentTarget.value })}
      />
      {draft.file === "mmdb" && (
        <Checkbox
          checked={draft.on_nodes}
          disabled={asset !== undefined}
          onChange={(event) => set({ on_nodes: event.currentTarget.checked })}
          label={t("form.onNodes")}
          description={t("form.onNodesHelp")}
        />
      )}
      <When draft={draft} error={wrong["schedule.cron"]} set={set} />
      <DialogFoot>
        <Action size="dialog" onClick={cancel}>
          {t("form.cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={running.isPending}>
          {t(asset ? "form.save" : "form.add")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

interface WhenProps {
  draft: Draft;
  error: string | undefined;
  set: (some: Partial<Draft>) => void;
}

/** When the file is fetched, and whether it stays as it is. */
function When({ draft, error, set }: WhenProps) {
  const { t } = useTranslation("geo");
  return (
    <>
      <Checkbox
        checked={draft.scheduled}
        onChange={(event) => set({ scheduled: event.currentTarget.checked })}
        label={t("form.scheduled")}
        description={t("form.scheduledHelp")}
      />
      {draft.scheduled && (
        <TextInput
          size="md"
          id="geo-cron"
          className="mono"
          label={t("form.cron")}
          description={t("form.cronHelp")}
          spellCheck={false}
          autoComplete="off"
          value={draft.cron}
          error={error}
          onChange={(event) => set({ cron: event.currentTarget.value })}
        />
      )}
      <Checkbox
        checked={draft.pinned}
        onChange={(event) => set({ pinned: event.currentTarget.checked })}
        label={t("form.pinned")}
        description={t("form.pinnedHelp")}
      />
    </>
  );
}
