import { Modal, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { useAddIntegration, useChangeIntegration, type Integration, type ProviderKind } from "./api";
import { changedFields, firstMissing, givenFields } from "./draft";
import { DeclaredFields } from "./declared-fields";

/** Adds an integration, or changes one: its service stays then. The fields are those that the service declares. */
export function IntegrationDialog({
  integration,
  providers,
  onClose,
}: {
  integration: Integration | undefined;
  providers: ProviderKind[];
  onClose: () => void;
}) {
  const { t } = useTranslation("cdn-dns");
  const [provider, setProvider] = useState(integration?.provider ?? "cloudflare");
  const [label, setLabel] = useState(integration?.label ?? "");
  const [values, setValues] = useState<Record<string, string>>(integration?.fields ?? {});
  const [missing, setMissing] = useState<string>();
  const add = useAddIntegration();
  const change = useChangeIntegration();
  const error = integration ? change.error : add.error;
  const refused = fieldErrors(error);
  const fields = providers.find(({ name }) => name === provider)?.fields ?? [];
  const done = (saved: Integration) => {
    toastDone(t(integration ? "changed" : "added", { label: saved.label }));
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const lacking = firstMissing(label, fields, values, integration !== undefined);
    setMissing(lacking);
    if (lacking) return document.getElementById(`integration-${lacking}`)?.focus();
    if (!integration) {
      return add.mutate({ provider, label: label.trim(), fields: givenFields(fields, values) }, { onSuccess: done });
    }
    const { id, revision } = integration;
    const changed = changedFields(fields, values, integration.fields);
    change.mutate(
      { id, revision, label: label.trim(), ...(Object.keys(changed).length > 0 && { fields: changed }) },
      { onSuccess: done },
    );
  };
  const ids = Object.fromEntries(fields.map(({ name }) => [`fields.${name}`, `integration-${name}`]));
  return (
    <Modal
      opened
      onClose={onClose}
      title={integration ? t("changeTitle", { label: integration.label }) : t("addTitle")}
      size="lg"
    >
      <DialogForm onSubmit={submit}>
        <FormProblems error={error} fields={{ ...ids, label: "integration-label" }} />
        {!integration && (
          <Select
            id="integration-provider"
            label={t("provider")}
            data={providers.map(({ name, title }) => ({ value: name, label: title }))}
            value={provider}
            onChange={(next) => {
              setProvider(next ?? provider);
              setValues({});
            }}
            allowDeselect={false}
          />
        )}
        <TextInput
          id="integration-label"
          label={t("label")}
          description={t("labelHelp")}
          value={label}
          maxLength={64}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setLabel(event.currentTarget.value)}
          error={missing === "label" ? t("missing") : refused.label}
        />
        <DeclaredFields
          fields={fields}
          values={values}
          onChange={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
          stored={integration?.has_token ?? false}
          errorOf={(name) => (missing === name ? t("missing") : refused[`fields.${name}`])}
        />
        <p className="dim">{t("checkedFirst")}</p>
        <DialogFoot>
          <Action size="dialog" onClick={onClose}>
            {t("cancel")}
          </Action>
          <Action size="dialog" kind="filled" type="submit" busy={add.isPending || change.isPending}>
            {t(integration ? "save" : "add")}
          </Action>
        </DialogFoot>
      </DialogForm>
    </Modal>
  );
}
