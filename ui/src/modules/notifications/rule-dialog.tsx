import { MultiSelect, NumberInput, Select } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { ProblemNote } from "@/components/state/problem-view";
import { toastDone } from "@/components/state/toast";
import { useLanguage } from "@/text/use-format";
import { useAddRule, useChangeRule, type EventKind, type Rule, type Severity } from "./api";
import { EnabledSwitch, ItemDialog, NameField } from "./item-dialog";
import { useItemForm } from "./item-form";
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

/** Adds a rule, or changes one: what happens, from which severity on, where it is sent, and how often. */
export function RuleDialog({ rule, events, eventsError, channels, onClose }: RuleDialogProps) {
  const { t } = useTranslation("notifications");
  const add = useAddRule();
  const change = useChangeRule();
  const done = ({ name }: Rule) => {
    toastDone(t(rule ? "rules.changed" : "rules.added", { name }));
    onClose();
  };
  const all = channels.map(({ value }) => value);
  const form = useItemForm({
    begin: () => draftOf(rule, all),
    problemsOf,
    words: (wrong) => t(`rules.wrong.${wrong}`),
    ids: () => fieldIds,
    prefix: "rule",
    error: rule ? change.error : add.error,
    save: (draft) =>
      rule ? change.mutate(changeOf(draft, rule), { onSuccess: done }) : add.mutate(newOf(draft), { onSuccess: done }),
  });
  const { draft, set, errorOf } = form;
  return (
    <ItemDialog
      title={rule ? t("rules.changeTitle", { name: rule.name }) : t("rules.addTitle")}
      verb={t(rule ? "save" : "rules.add")}
      busy={add.isPending || change.isPending}
      onClose={onClose}
      form={form}
    >
      {eventsError !== null && eventsError !== undefined && <ProblemNote error={eventsError} />}
      <NameField form={form} label={t("rules.name")} />
      <EventField draft={draft} set={set} events={events} error={errorOf("event")} />
      <SeverityAndChannels draft={draft} set={set} channels={channels} error={errorOf("channels")} />
      <RepeatFields draft={draft} set={set} error={errorOf("minutes")} />
      <EnabledSwitch form={form} label={t("rules.enabled")} />
    </ItemDialog>
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
      // The list itself scrolls, as assistive technology expects of the list of a combobox.
      withScrollArea={false}
      classNames={{ options: classes.options }}
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

/** How often the same is sent. */
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
