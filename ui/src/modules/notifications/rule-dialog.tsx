import { Modal, MultiSelect, NumberInput, Select, Switch, TextInput } from "@mantine/core";
import { useMemo, useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { ProblemNote } from "@/components/state/problem-view";
import { toastDone } from "@/components/state/toast";
import { useLanguage } from "@/text/use-format";
import { useAddRule, useChangeRule, type EventKind, type Rule, type Severity } from "./api";
import { refusedFields } from "./channel-dialog";
import classes from "./notifications.module.css";
import { changeOf, draftOf, eventGroups, fieldIds, newOf, problemsOf, type RuleDraft } from "./rule-draft";
import { severities, useEventWords } from "./words";

interface RuleDialogProps {
  rule: Rule | undefined;
  events: readonly EventKind[];
  eventsError: unknown;
  channels: { value: string; label: string }[];
  onClose: () => void;
}

/** Adds a rule, or changes one: what happens, from which severity on, who is told, and how often. */
export function RuleDialog({ rule, events, eventsError, channels, onClose }: RuleDialogProps) {
  const { t } = useTranslation("notifications");
  const [draft, setDraft] = useState(() =>
    draftOf(
      rule,
      channels.map(({ value }) => value),
    ),
  );
  const [tried, setTried] = useState(false);
  const add = useAddRule();
  const change = useChangeRule();
  const error = rule ? change.error : add.error;
  const wrong = tried ? problemsOf(draft) : {};
  const refused = refusedFields(error, fieldIds);
  const set = (next: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...next }));
  const errorOf = (field: keyof RuleDraft) => {
    const own = wrong[field];
    return own ? t(`rules.wrong.${own}`) : refused[`rule-${field}`];
  };
  const done = ({ name }: Rule) => {
    toastDone(t(rule ? "rules.changed" : "rules.added", { name }));
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const [first] = Object.keys(problemsOf(draft));
    if (first) return document.getElementById(`rule-${first}`)?.focus();
    if (rule) change.mutate(changeOf(draft, rule), { onSuccess: done });
    else add.mutate(newOf(draft), { onSuccess: done });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={rule ? t("rules.changeTitle", { name: rule.name }) : t("rules.addTitle")}
      size="lg"
    >
      <DialogForm onSubmit={submit}>
        <FormProblems error={error} fields={fieldIds} />
        {eventsError !== null && eventsError !== undefined && <ProblemNote error={eventsError} />}
        <TextInput
          id="rule-name"
          label={t("rules.name")}
          value={draft.name}
          maxLength={64}
          autoComplete="off"
          data-autofocus
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={errorOf("name")}
        />
        <EventField draft={draft} set={set} events={events} error={errorOf("event")} />
        <SeverityAndChannels draft={draft} set={set} channels={channels} error={errorOf("channels")} />
        <RepeatFields draft={draft} set={set} error={errorOf("minutes")} />
        <Switch
          label={t("rules.enabled")}
          checked={draft.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
        <DialogFoot>
          <Action size="dialog" onClick={onClose}>
            {t("cancel")}
          </Action>
          <Action size="dialog" kind="filled" type="submit" busy={add.isPending || change.isPending}>
            {t(rule ? "save" : "rules.add")}
          </Action>
        </DialogFoot>
      </DialogForm>
    </Modal>
  );
}

interface PartProps {
  draft: RuleDraft;
  set: (next: Partial<RuleDraft>) => void;
  error: string | undefined;
}

/** The event, in words; below it what it means. */
function EventField({ draft, set, events, error }: PartProps & { events: readonly EventKind[] }) {
  const { t } = useTranslation("notifications");
  const language = useLanguage();
  const words = useEventWords(events);
  const data = useMemo(() => eventGroups(events, words, draft.event), [events, words, draft.event]);
  const effect = events.find(({ kind }) => kind === draft.event)?.[language].effect;
  return (
    <Select
      id="rule-event"
      label={t("rules.event")}
      description={effect || t("rules.eventHelp")}
      data={data}
      value={draft.event}
      onChange={(event) => event && set({ event })}
      searchable
      allowDeselect={false}
      nothingFoundMessage={t("rules.noEvent")}
      error={error}
    />
  );
}

function SeverityAndChannels({ draft, set, channels, error }: PartProps & Pick<RuleDialogProps, "channels">) {
  const { t } = useTranslation("notifications");
  return (
    <div className={classes.pair}>
      <Select
        id="rule-severity"
        label={t("rules.severity")}
        data={severities.map((value) => ({ value, label: t(`atLeast.${value}`) }))}
        value={draft.severity}
        onChange={(severity) => severity && set({ severity: severity as Severity })}
        allowDeselect={false}
      />
      <MultiSelect
        id="rule-channels"
        label={t("rules.channels")}
        data={channels}
        value={draft.channels.filter((id) => channels.some(({ value }) => value === id))}
        onChange={(chosen) => set({ channels: chosen })}
        error={error}
      />
    </div>
  );
}

/** How often the same is told. */
function RepeatFields({ draft, set, error }: PartProps) {
  const { t } = useTranslation("notifications");
  return (
    <div className={classes.pair}>
      <NumberInput
        id="rule-minutes"
        label={t("rules.cooldown")}
        description={t("rules.cooldownHelp")}
        suffix={t("rules.minutes")}
        value={draft.minutes}
        min={0}
        max={1440}
        decimalScale={2}
        onChange={(minutes) => set({ minutes })}
        error={error}
      />
      <Select
        id="rule-group"
        label={t("rules.group")}
        description={t("rules.groupHelp")}
        data={[
          { value: "subject", label: t("rules.groups.subject") },
          { value: "kind", label: t("rules.groups.kind") },
        ]}
        value={draft.group}
        onChange={(group) => set({ group: group === "kind" ? "kind" : "subject" })}
        allowDeselect={false}
      />
    </div>
  );
}
