import { Menu } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { RowMenu } from "@/components/action/row-menu";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { DataTable, type Column } from "@/components/table/data-table";
import type { RowsFile } from "@/components/table/save-rows";
import { useFormat } from "@/text/use-format";
import type { EventKind, Rule } from "./api";
import classes from "./notifications.module.css";
import { severityGlyphs, useEventWords } from "./words";

interface RulesProps {
  state: ViewState<Rule[]>;
  events: readonly EventKind[];
  channels: { value: string; label: string }[];
  block: string | undefined;
  add: ReactNode;
  onEdit: (rule: Rule) => void;
  onRemove: (rule: Rule) => void;
}

const file: RowsFile<Rule> = {
  name: "notification-rules",
  fields: [
    ["name", (rule) => rule.name],
    ["event", (rule) => rule.event],
    ["min_severity", (rule) => rule.min_severity],
    ["channels", (rule) => rule.channels.join(" ")],
    ["cooldown_s", (rule) => rule.cooldown_s],
    ["enabled", (rule) => String(rule.enabled)],
    ["id", (rule) => rule.id],
  ],
};

export function RulesView({ state, events, channels, block, add, onEdit, onRemove }: RulesProps) {
  const { t } = useTranslation("notifications");
  const { eventWords } = useEventWords(events);
  const repeat = useRepeatWords();
  if (state.kind === "loading") return <Skeleton rows={5} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} tried={t("rules.loadFailed")} onRetry={state.retry} />;
  const names = (rule: Rule) =>
    rule.channels.map((id) => channels.find(({ value }) => value === id)?.label ?? t("rules.goneChannel")).join(", ");
  const name = (rule: Rule) => <RuleName rule={rule} block={block} onEdit={onEdit} />;
  const columns: Column<Rule>[] = [
    { key: "name", head: t("rules.name"), cell: name },
    {
      key: "event",
      head: t("rules.event"),
      width: 220,
      cell: (rule) => <span title={eventWords(rule.event)}>{eventWords(rule.event)}</span>,
    },
    { key: "severity", head: t("rules.severity"), width: 195, drop: 1, cell: (rule) => <Least rule={rule} /> },
    {
      key: "channels",
      head: t("rules.channels"),
      width: 150,
      cell: (rule) => <span title={names(rule)}>{names(rule) || <NoChannel />}</span>,
    },
    { key: "repeat", head: t("rules.repeat"), width: 165, drop: 3, cell: repeat },
    { key: "state", head: t("channels.state"), width: 115, drop: 2, cell: (rule) => <RuleState rule={rule} /> },
  ];
  return (
    <DataTable
      label={t("rules.title")}
      rows={state.data}
      total={state.data.length}
      columns={columns}
      rowId={(rule) => rule.id}
      rowName={(rule) => rule.name}
      file={file}
      onEdit={block === undefined ? onEdit : undefined}
      menu={(rule) => (
        <RowMenu name={rule.name}>
          <Menu.Item disabled={block !== undefined} title={block} onClick={() => onEdit(rule)}>
            {t("edit")}
          </Menu.Item>
          <Menu.Item disabled={block !== undefined} title={block} color="red" onClick={() => onRemove(rule)}>
            {t("rules.remove")}
          </Menu.Item>
        </RowMenu>
      )}
      phone={(rule) => (
        <span className={classes.phone}>
          {name(rule)}
          <span>{eventWords(rule.event)}</span>
          <span className="dim">
            {t("rules.toChannels")} {names(rule) || t("rules.noChannel")}
          </span>
          <span className={classes.line}>
            <Least rule={rule} /> <RuleState rule={rule} />
          </span>
        </span>
      )}
      empty={
        <EmptyState icon={IconBell} title={t("rules.none")} act={add}>
          {t("rules.noneText")}
        </EmptyState>
      }
    />
  );
}

/** What counts as the same, and how long it is gathered. */
function useRepeatWords() {
  const { t } = useTranslation("notifications");
  const format = useFormat();
  const words = ({ cooldown_s: seconds, group_by: group }: Rule) =>
    seconds === 0 ? t("rules.each") : t(`rules.once.${group}`, { span: format.span(seconds) });
  return words;
}

function RuleName({ rule, block, onEdit }: { rule: Rule } & Pick<RulesProps, "block" | "onEdit">) {
  if (block !== undefined) return <span className="strong">{rule.name}</span>;
  return (
    <button type="button" className={classes.name} onClick={() => onEdit(rule)}>
      {rule.name}
    </button>
  );
}

function Least({ rule: { min_severity: severity } }: { rule: Rule }) {
  const { t } = useTranslation("notifications");
  return (
    <Status kind={severityGlyphs[severity]} quiet>
      {t(`atLeast.${severity}`)}
    </Status>
  );
}

function NoChannel() {
  const { t } = useTranslation("notifications");
  return <Status kind="degraded">{t("rules.noChannel")}</Status>;
}

function RuleState({ rule: { enabled, known } }: { rule: Rule }) {
  const { t } = useTranslation("notifications");
  if (!known) return <Status kind="degraded">{t("rules.is.unknown")}</Status>;
  return <Status kind={enabled ? "healthy" : "skipped"}>{t(enabled ? "rules.is.on" : "rules.is.off")}</Status>;
}
