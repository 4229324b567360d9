import { MultiSelect, Select, Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { FormProblems } from "@/components/form/form-problems";
import { SaveBar } from "@/components/form/save-bar";
import { toastDone } from "@/components/state/toast";
import { useLanguage } from "@/text/use-format";
import { useChangeNode, type NodeChange, type NodeRole } from "../shared/api";
import { AddressList } from "./address-list";
import { countryOptions } from "../shared/country";
import { nodeNameRule } from "../shared/node-name";
import classes from "./node.module.css";
import { TrafficFields } from "./traffic-fields";
import type { NodeDetail } from "../shared/types";

export function SettingsTab({
  node,
  block,
  onRemove,
}: {
  node: NodeDetail;
  block: string | undefined;
  onRemove: () => void;
}) {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const change = useChangeNode(node.id);
  const form = useForm({
    initialValues: valuesOf(node),
    validateInputOnBlur: true,
    validate: {
      name: (value) => (nodeNameRule.test(value.trim()) ? null : t("new.nameRule")),
    },
  });
  const { setInitialValues, reset } = form;
  const { revision } = node;
  useEffect(() => {
    setInitialValues(valuesOf(node));
    // Newer readings of the same revision must not touch what is being typed.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [revision]);
  const changed = changedFields(form.getValues(), valuesOf(node));
  const server = fieldErrors(change.error);
  const save = form.onSubmit(() =>
    change.mutate({ ...changed, revision }, { onSuccess: () => toastDone(t("settings.saved")) }),
  );
  const input = <Key extends keyof NodeChange>(key: Key) => ({
    ...form.getInputProps(key),
    error: form.errors[key] ?? server[key],
    disabled: block !== undefined,
  });
  return (
    <div className={classes.stack}>
      <Card title={t("settings.title")}>
        <form className={classes.form} onSubmit={save} noValidate>
          {change.error && <FormProblems error={change.error} fields={{ name: "name", address: "address" }} />}
          <div className={classes.pair}>
            <TextInput id="name" label={t("new.name")} {...input("name")} />
            <TextInput
              id="address"
              label={t("new.address")}
              description={t("settings.addressHelp")}
              {...input("address")}
            />
            <TextInput label={t("settings.city")} {...input("city")} />
            <TextInput label={t("settings.region")} description={t("settings.regionHelp")} {...input("region")} />
            <Select
              label={t("settings.country")}
              data={countryOptions(language)}
              searchable
              clearable
              nothingFoundMessage={t("settings.noCountry")}
              {...input("country_code")}
              onChange={(value) => form.setFieldValue("country_code", value ?? "")}
            />
            <MultiSelect
              label={t("columns.roles")}
              description={t("settings.rolesHelp")}
              data={roles.map((value) => ({ value, label: t(`role.${value}`) }))}
              {...input("roles")}
              onChange={(value) => form.setFieldValue("roles", value as Role[])}
            />
            <TagsInput label={t("new.tags")} maxTags={20} {...input("tags")} />
            <TextInput
              label={t("settings.provider")}
              description={t("settings.providerHelp")}
              maxLength={64}
              {...input("provider_id")}
            />
            <TextInput
              label={t("settings.providerRef")}
              description={t("settings.providerRefHelp")}
              maxLength={128}
              {...input("provider_server_ref")}
            />
          </div>
          <AddressList
            ips={form.getValues().ips}
            onChange={(ips) => form.setFieldValue("ips", ips)}
            disabled={block !== undefined}
            error={server.ips}
          />
          <TrafficFields
            traffic={form.getValues().traffic}
            onChange={(traffic) => form.setFieldValue("traffic", traffic)}
            disabled={block !== undefined}
            errors={server}
          />
          <Textarea label={t("settings.note")} autosize minRows={2} maxRows={8} {...input("note")} />
          <Switch
            label={t("settings.disabled")}
            description={t("settings.disabledHelp")}
            checked={form.getValues().disabled}
            disabled={block !== undefined}
            onChange={(event) => form.setFieldValue("disabled", event.currentTarget.checked)}
          />
        </form>
      </Card>
      {Object.keys(changed).length === 0 && (
        <Card title={t("settings.danger")}>
          <div className={classes.unbound}>
            <p className="soft">{t("delete.text")}</p>
            <Action kind="danger" onClick={onRemove} reason={block}>
              {t("acts.delete")}
            </Action>
          </div>
        </Card>
      )}
      <SaveBar
        changes={Object.keys(changed).length}
        onSave={save}
        onDiscard={reset}
        busy={change.isPending}
        reason={block}
      >
        {t("settings.to", { name: node.name })}
      </SaveBar>
    </div>
  );
}

type Role = NodeRole;
type Values = Required<NodeChange>;

const roles: Role[] = ["entry", "transit", "exit", "edge"];

function valuesOf(node: NodeDetail): Values {
  return {
    name: node.name,
    address: node.address,
    city: node.city,
    region: node.region,
    country_code: node.country_code === "XX" ? "" : node.country_code,
    tags: node.tags,
    roles: node.roles as Role[],
    ips: node.ips,
    note: node.note,
    disabled: node.state === "disabled",
    provider_id: node.provider_id ?? "",
    provider_server_ref: node.provider_server_ref,
    traffic: {
      limit_bytes: node.traffic.limit_bytes ?? 0,
      reset_day: node.traffic.reset_day,
      notify_pct: node.traffic.notify_pct,
    },
  };
}

/** Only what differs is sent; an emptied country is "unknown". */
export function changedFields(now: Values, before: Values): NodeChange {
  const keys = (Object.keys(before) as (keyof Values)[]).filter(
    (key) => JSON.stringify(now[key]) !== JSON.stringify(before[key]),
  );
  return Object.fromEntries(keys.map((key) => [key, key === "country_code" && now[key] === "" ? "XX" : now[key]]));
}
