import { MultiSelect, NumberInput, Select, TagsInput, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { foundFlowsQuery, useSavePolicy, type Policy, type PolicyEntry, type Rule } from "./api";
import classes from "./policies.module.css";
import { errorAt, forms, fresh, kinds, protocols, sent, typesOf } from "./rules";
import { useValueText } from "./rule-text";

interface PolicyDialogProps {
  /** Left out for a new one. */
  policy?: Policy | undefined;
  onClose: () => void;
}

/** Makes a policy or changes one. Draw it only while it is open. */
export function PolicyDialog({ policy, onClose }: PolicyDialogProps) {
  const { t } = useTranslation("policies");
  const title = policy ? t("policy.changeNamed", { name: policy.name }) : t("policy.add");
  return (
    <FormModal opened onClose={onClose} title={title} size="lg">
      <PolicyForm policy={policy} onClose={onClose} />
    </FormModal>
  );
}

function PolicyForm({ policy, onClose }: PolicyDialogProps) {
  const { t } = useTranslation("policies");
  const save = useSavePolicy();
  const valueText = useValueText();
  const [first] = useState<PolicyEntry>(() => ({
    name: policy?.name ?? "",
    kind: policy?.kind ?? "security",
    rules: policy?.rules ?? [],
    allowed_protocols: policy?.allowed_protocols ?? [],
    flows: policy?.used_by.map((flow) => flow.flow_id) ?? [],
  }));
  const [entry, setEntry] = useState(first);
  const [stands, setStands] = useState(policy);
  const set = (some: Partial<PolicyEntry>) => setEntry((now) => ({ ...now, ...some }));
  const cancel = useTyped(JSON.stringify(first) !== JSON.stringify(entry));
  const wrong = fieldErrors(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!entry.name.trim() || save.isPending) return;
    const onSuccess = () => {
      toastDone(t("policy.saved", { name: entry.name.trim() }), t("policy.savedText"));
      onClose();
    };
    const wanted = { ...entry, name: entry.name.trim(), rules: entry.rules.map(sent) };
    save.mutate({ policy: stands, entry: wanted, onSaved: setStands }, { onSuccess });
  };
  const putRule = (at: number, rule: Rule) => set({ rules: entry.rules.map((one, i) => (i === at ? rule : one)) });
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems error={save.error} fields={{ name: "policy-name" }} />
      <div className={classes.pair}>
        <TextInput
          size="md"
          id="policy-name"
          data-autofocus
          autoComplete="off"
          required
          maxLength={64}
          label={t("policy.name")}
          value={entry.name}
          error={wrong.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <Select
          size="md"
          label={t("policy.kind")}
          description={stands ? undefined : t("policy.kindHelp")}
          disabled={stands !== undefined}
          allowDeselect={false}
          data={kinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
          value={entry.kind}
          onChange={(kind) => kind && set({ kind: kind as Policy["kind"], rules: [] })}
        />
      </div>
      <MultiSelect
        size="md"
        label={t("policy.allowed")}
        description={t("policy.allowedHelp")}
        data={protocols.map((value) => ({ value, label: valueText(value) }))}
        value={entry.allowed_protocols}
        error={errorAt(wrong, "allowed_protocols")}
        onChange={(allowed_protocols) => set({ allowed_protocols })}
      />
      <section aria-label={t("policy.rules")} className={classes.stack}>
        {entry.rules.map((rule, at) => (
          <RuleFields
            key={at}
            rule={rule}
            error={errorAt(wrong, `rules[${at}].`)}
            onChange={(changed) => putRule(at, changed)}
            onRemove={() => set({ rules: entry.rules.filter((_, i) => i !== at) })}
          />
        ))}
        <Select
          size="md"
          label={t("policy.addRule")}
          placeholder={t("policy.chooseRule")}
          data={typesOf(entry.kind).map((value) => ({ value, label: t(`type.${value}`) }))}
          value={null}
          onChange={(type) => type && set({ rules: [...entry.rules, fresh(type as Rule["type"])] })}
        />
      </section>
      <FlowsSelect
        policy={policy}
        value={entry.flows}
        error={errorAt(wrong, "flow_ids")}
        onChange={(flows) => set({ flows })}
      />
      <DialogFoot>
        <Action size="dialog" onClick={cancel}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={save.isPending}>
          {t("save")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

interface RuleFieldsProps {
  rule: Rule;
  error: string | undefined;
  onChange: (rule: Rule) => void;
  onRemove: () => void;
}

function RuleFields({ rule, error, onChange, onRemove }: RuleFieldsProps) {
  const { t } = useTranslation("policies");
  const valueText = useValueText();
  const form = forms[rule.type];
  const words = t(`type.${rule.type}`);
  const values = { size: "md", value: rule.values ?? [], error, label: t("policy.valuesOf", { rule: words }) } as const;
  return (
    <div className={classes.rule} role="group" aria-label={words}>
      <div className={classes.flow}>
        <strong>{words}</strong>
        <Action iconOnly icon={IconTrash} onClick={onRemove}>
          {t("policy.removeRule", { rule: words })}
        </Action>
      </div>
      <TextInput
        size="md"
        label={t("policy.ruleName")}
        maxLength={64}
        value={rule.name ?? ""}
        onChange={(event) => onChange({ ...rule, name: event.currentTarget.value })}
      />
      {form.least !== undefined && (
        <NumberInput
          size="md"
          label={t("policy.number")}
          min={form.least}
          max={100_000}
          allowDecimal={false}
          value={rule.number ?? 0}
          error={error}
          onChange={(number) => onChange({ ...rule, number: Number(number) || 0 })}
        />
      )}
      {form.values && (
        <MultiSelect
          {...values}
          data={form.values.map((value) => ({ value, label: valueText(value) }))}
          onChange={(next) => onChange({ ...rule, values: next })}
        />
      )}
      {form.free && (
        <TagsInput
          {...values}
          description={t(`freeHelp.${rule.type as "presets"}`)}
          onChange={(next) => onChange({ ...rule, values: next })}
        />
      )}
    </div>
  );
}

interface FlowsSelectProps {
  policy: Policy | undefined;
  value: string[];
  error: string | undefined;
  onChange: (flows: string[]) => void;
}

/** The flows that obey the policy; those chosen before keep their names whatever is searched for. */
function FlowsSelect({ policy, value, error, onChange }: FlowsSelectProps) {
  const { t } = useTranslation("policies");
  const [typed, setTyped] = useState("");
  const [known, setKnown] = useState<Record<string, string>>(() =>
    Object.fromEntries((policy?.used_by ?? []).map((flow) => [flow.flow_id, flow.flow_name])),
  );
  const found = useQuery(foundFlowsQuery(typed)).data?.items ?? [];
  const names = { ...Object.fromEntries(found.map((flow) => [flow.id, flow.name])), ...known };
  const change = (flows: string[]) => {
    setKnown((now) => ({ ...now, ...Object.fromEntries(flows.map((id) => [id, names[id] ?? id])) }));
    onChange(flows);
  };
  return (
    <MultiSelect
      size="md"
      searchable
      comboboxProps={{ position: "top" }}
      label={t("policy.obey")}
      description={t("policy.obeyHelp")}
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage={t("policy.noFlowFound")}
      data={Object.entries(names).map(([id, label]) => ({ value: id, label }))}
      value={value}
      error={error}
      onChange={change}
    />
  );
}
