import { Checkbox, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { useRequestKey } from "@/api/request-key";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { policyName } from "../shared/policy-name";
import type { Policy } from "../shared/policies";
import { useSavePolicy, type PolicyEntry } from "./api";
import { CheckFields } from "./check-fields";
import { Numbers } from "./numbers";
import classes from "./policies.module.css";
import { entryOf, errorUnder, sentOf } from "./policy-form";
import { usePolicyText } from "./policy-text";
import { RepairFields } from "./repair-fields";
import { ScopeFields } from "./scope-fields";
import { WindowFields } from "./window-fields";

interface PolicyDialogProps {
  /** Left out for a new one. */
  policy?: Policy | undefined;
  /** What a new one begins with. */
  like?: Policy | undefined;
  onClose: () => void;
}

/** Makes a policy or changes one. Draw it only while it is open. */
export function PolicyDialog(props: PolicyDialogProps) {
  const { t } = useTranslation("health");
  const { policy, onClose } = props;
  const title = policy ? t("policy.changeNamed", { name: policyName(t, policy.name) }) : t("policy.add");
  return (
    <FormModal opened onClose={onClose} title={title} size="lg">
      <PolicyForm {...props} />
    </FormModal>
  );
}

function PolicyForm({ policy, like, onClose }: PolicyDialogProps) {
  const { t } = useTranslation("health");
  const save = useSavePolicy();
  const [first] = useState(() => entryOf(policy, like));
  const [entry, setEntry] = useState(first);
  const set = (some: Partial<PolicyEntry>) => setEntry((now) => ({ ...now, ...some }));
  const wanted = sentOf(entry);
  const key = useRequestKey(wanted);
  const cancel = useTyped(JSON.stringify(first) !== JSON.stringify(entry));
  const wrong = fieldErrors(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (entry.name.trim() === "" || save.isPending) return;
    const saved = () => {
      toastDone(t("policy.saved", { name: entry.name.trim() }), t("policy.savedText"));
      onClose();
    };
    save.mutate({ policy, entry: wanted, key }, { onSuccess: saved });
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems error={save.error} fields={{ name: "health-policy-name" }} />
      <Summary entry={entry} />
      <TextInput
        size="md"
        id="health-policy-name"
        data-autofocus
        autoComplete="off"
        required
        maxLength={64}
        label={t("policy.name")}
        value={entry.name}
        error={wrong.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      {!policy?.default && (
        <>
          <ScopeFields
            scope={entry.scope}
            name={policy?.scope_name}
            error={errorUnder(wrong, "scope")}
            onChange={(scope) => set({ scope })}
          />
          <Checkbox
            label={t("policy.enabled")}
            description={t("policy.enabledHelp")}
            checked={entry.enabled}
            onChange={(event) => set({ enabled: event.currentTarget.checked })}
          />
        </>
      )}
      <CheckFields checks={entry.checks} wrong={wrong} onChange={(checks) => set({ checks })} />
      <Watchers entry={entry} wrong={wrong} set={set} />
      <Thresholds entry={entry} wrong={wrong} set={set} />
      <RepairFields repair={entry.repair} policyId={policy?.id} wrong={wrong} onChange={(repair) => set({ repair })} />
      <WindowFields
        windows={entry.maintenance_windows}
        wrong={wrong}
        onChange={(windows) => set({ maintenance_windows: windows })}
      />
      <DialogFoot>
        <Action size="dialog" onClick={cancel}>
          {t("cancel")}
        </Action>
        <Action
          size="dialog"
          kind="filled"
          type="submit"
          busy={save.isPending}
          reason={entry.name.trim() === "" ? t("policy.noName") : undefined}
        >
          {t("save")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

/** What the form means as it stands. */
function Summary({ entry }: { entry: PolicyEntry }) {
  const { t } = useTranslation("health");
  const sentences = usePolicyText();
  return (
    <section className={classes.summary} aria-label={t("policy.means")}>
      <p>{sentences(entry).join(" ")}</p>
    </section>
  );
}

interface PartProps {
  entry: PolicyEntry;
  wrong: Record<string, string>;
  set: (some: Partial<PolicyEntry>) => void;
}

/** Who looks. */
function Watchers({ entry: { vantages }, wrong, set }: PartProps) {
  const { t } = useTranslation("health");
  return (
    <fieldset className={classes.group}>
      <legend>{t("policy.watchers")}</legend>
      <Checkbox
        label={t("policy.byPanel")}
        checked={vantages.panel}
        onChange={(event) => set({ vantages: { ...vantages, panel: event.currentTarget.checked } })}
      />
      <div className={classes.pair}>
        <Numbers
          label={t("policy.agents")}
          value={vantages.agents}
          least={0}
          most={8}
          error={errorUnder(wrong, "vantages.agents")}
          onChange={(agents) => set({ vantages: { ...vantages, agents } })}
        />
        <TextInput
          size="md"
          label={t("policy.agentsTag")}
          maxLength={64}
          value={vantages.tag ?? ""}
          error={errorUnder(wrong, "vantages.tag")}
          onChange={(event) => set({ vantages: { ...vantages, tag: event.currentTarget.value } })}
        />
      </div>
    </fieldset>
  );
}

/** When a place says down, and how many have to. */
function Thresholds({ entry, wrong, set }: PartProps) {
  const { t } = useTranslation("health");
  const { recheck, flap } = entry;
  const field = (name: "quorum" | "failure_threshold" | "success_threshold", most: number) => (
    <Numbers
      label={t(`policy.${name}`)}
      value={entry[name]}
      least={1}
      most={most}
      error={errorUnder(wrong, name)}
      onChange={(value) => set({ [name]: value })}
    />
  );
  return (
    <fieldset className={classes.group}>
      <legend>{t("policy.thresholds")}</legend>
      <div className={classes.pair}>
        {field("quorum", 9)}
        {field("failure_threshold", 20)}
        {field("success_threshold", 20)}
        <Numbers
          label={t("policy.recheckCount")}
          value={recheck.count}
          least={0}
          most={10}
          error={errorUnder(wrong, "recheck.count")}
          onChange={(count) => set({ recheck: { ...recheck, count } })}
        />
        <Numbers
          label={t("policy.recheckEvery")}
          value={recheck.every_s}
          least={1}
          most={60}
          error={errorUnder(wrong, "recheck.every_s")}
          onChange={(every_s) => set({ recheck: { ...recheck, every_s } })}
        />
        <Numbers
          label={t("policy.flapChanges")}
          value={flap.max_changes}
          least={2}
          most={100}
          error={errorUnder(wrong, "flap.max_changes")}
          onChange={(max_changes) => set({ flap: { ...flap, max_changes } })}
        />
        <Select
          size="md"
          label={t("policy.flapWindow")}
          allowDeselect={false}
          data={flapWindows(flap.window_s).map((seconds) => ({
            value: String(seconds),
            label: t("policy.minutes", { count: seconds / 60 }),
          }))}
          value={String(flap.window_s)}
          error={errorUnder(wrong, "flap.window_s")}
          onChange={(seconds) => seconds && set({ flap: { ...flap, window_s: Number(seconds) } })}
        />
      </div>
    </fieldset>
  );
}

/** What is offered, with what is set. */
const flapWindows = (set: number) => [...new Set([300, 600, 1_800, 3_600, set])].sort((a, b) => a - b);
