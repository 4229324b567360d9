import { Popover, Select, Switch, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconPlus, IconSearch, IconX } from "@tabler/icons-react";
import { useEffect, useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { useFormat } from "@/text/use-format";
import { actionsQuery } from "./api";
import classes from "./audit.module.css";
import { useActionWords } from "./words";
import { fromLocalField, ranges, toLocalField, withFamilies, type AuditFilter } from "./filter";

interface FilterBarProps {
  filter: AuditFilter;
  onFilter: (change: Partial<AuditFilter>) => void;
}

interface CodesChoice {
  codes: boolean;
  onCodes: (on: boolean) => void;
}

/** A search field, what is chosen as marks that can be taken away, and the rest behind one button. */
export function FilterBar({ filter, onFilter, codes, onCodes }: FilterBarProps & CodesChoice) {
  const { t } = useTranslation("audit");
  const [opened, setOpened] = useState(false);
  return (
    <div className={classes.filters} role="search" aria-label={t("filter.label")}>
      <Find q={filter.q} onFilter={onFilter} />
      <Chosen filter={filter} onFilter={onFilter} />
      <Popover
        opened={opened}
        onChange={setOpened}
        position="bottom-start"
        width={320}
        trapFocus
        returnFocus
        shadow="none"
      >
        <Popover.Target>
          <Action kind="link" icon={IconPlus} onClick={() => setOpened(!opened)}>
            {t("filter.add")}
          </Action>
        </Popover.Target>
        <Popover.Dropdown aria-label={t("filter.label")}>
          <FilterForm
            filter={filter}
            onApply={(change) => {
              setOpened(false);
              onFilter(change);
            }}
          />
        </Popover.Dropdown>
      </Popover>
      <Switch
        size="xs"
        className={classes.codes}
        label={t("filter.codes")}
        checked={codes}
        onChange={(event) => onCodes(event.currentTarget.checked)}
      />
    </div>
  );
}

function Find({ q, onFilter }: { q: string | undefined; onFilter: FilterBarProps["onFilter"] }) {
  const { t } = useTranslation("audit");
  const [text, setText] = useState(q ?? "");
  useEffect(() => setText(q ?? ""), [q]);
  useEffect(() => {
    if (text === (q ?? "")) return;
    const timer = setTimeout(() => onFilter({ q: text || undefined }), 250);
    return () => clearTimeout(timer);
  }, [text, q, onFilter]);
  return (
    <TextInput
      className={classes.find}
      aria-label={t("filter.find")}
      placeholder={t("filter.find")}
      data-search
      leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

function Chosen({ filter, onFilter }: FilterBarProps) {
  const { t } = useTranslation("audit");
  const format = useFormat();
  const words = useActionWords();
  const marks = [
    filter.action && { name: t("columns.action"), value: words(filter.action), gone: { action: undefined } },
    filter.result && { name: t("columns.result"), value: t(`result.${filter.result}`), gone: { result: undefined } },
    filter.actor && { name: t("columns.actor"), value: filter.actor, gone: { actor: undefined } },
    filter.object && { name: t("columns.object"), value: filter.object, gone: { object: undefined } },
    filter.range && { name: t("columns.at"), value: t(`range.${filter.range}`), gone: { range: undefined } },
    !filter.range &&
      filter.from && { name: t("filter.from"), value: format.moment(filter.from), gone: { from: undefined } },
    !filter.range && filter.to && { name: t("filter.to"), value: format.moment(filter.to), gone: { to: undefined } },
  ].filter((mark) => typeof mark === "object");
  return marks.map(({ name, value, gone }) => (
    <span key={name} className={classes.chip}>
      <span className="soft">{name}</span> <b>{value}</b>
      <button type="button" onClick={() => onFilter(gone)} aria-label={t("filter.remove", { name, value })}>
        <IconX size={13} stroke={1.8} aria-hidden />
      </button>
    </span>
  ));
}

type Draft = { action: string; result: string; actor: string; object: string; range: string; from: string; to: string };

function FilterForm({ filter, onApply }: { filter: AuditFilter; onApply: (change: Partial<AuditFilter>) => void }) {
  const { t } = useTranslation("audit");
  const actions = useQuery(actionsQuery).data ?? [];
  const [draft, setDraft] = useState<Draft>({
    action: filter.action ?? "",
    result: filter.result ?? "",
    actor: filter.actor ?? "",
    object: filter.object ?? "",
    range: filter.range ?? (filter.from || filter.to ? "custom" : ""),
    from: toLocalField(filter.from),
    to: toLocalField(filter.to),
  });
  const set = (field: keyof Draft) => (value: string | null) => setDraft((old) => ({ ...old, [field]: value ?? "" }));
  const any = { value: "", label: t("filter.any") };
  const words = useActionWords();
  const labelOf = (value: string) => (words(value) === value ? value : `${words(value)} (${value})`);
  const inside = { withinPortal: false };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const custom = draft.range === "custom";
    const known = (ranges as readonly string[]).includes(draft.range);
    onApply({
      action: draft.action || undefined,
      result: (draft.result || undefined) as AuditFilter["result"],
      actor: draft.actor.trim() || undefined,
      object: draft.object.trim() || undefined,
      range: known ? (draft.range as AuditFilter["range"]) : undefined,
      from: custom ? fromLocalField(draft.from) : undefined,
      to: custom ? fromLocalField(draft.to) : undefined,
    });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <Select
        label={t("columns.action")}
        searchable
        openOnFocus={false}
        nothingFoundMessage={t("filter.none")}
        maxDropdownHeight={220}
        comboboxProps={inside}
        data={[any, ...withFamilies(actions).map((value) => ({ value, label: labelOf(value) }))]}
        value={draft.action}
        onChange={set("action")}
      />
      <Select
        label={t("columns.result")}
        comboboxProps={inside}
        data={[any, ...(["ok", "denied", "failed"] as const).map((value) => ({ value, label: t(`result.${value}`) }))]}
        value={draft.result}
        onChange={set("result")}
      />
      <TextInput
        label={t("columns.actor")}
        description={t("filter.actorHelp")}
        autoComplete="off"
        value={draft.actor}
        onChange={(event) => set("actor")(event.currentTarget.value)}
      />
      <TextInput
        label={t("columns.object")}
        description={t("filter.objectHelp")}
        autoComplete="off"
        value={draft.object}
        onChange={(event) => set("object")(event.currentTarget.value)}
      />
      <Select
        label={t("columns.at")}
        comboboxProps={inside}
        data={[
          any,
          ...ranges.map((value) => ({ value, label: t(`range.${value}`) })),
          { value: "custom", label: t("range.custom") },
        ]}
        value={draft.range}
        onChange={set("range")}
      />
      {draft.range === "custom" && (
        <div className={classes.pair}>
          <TextInput
            type="datetime-local"
            label={t("filter.from")}
            value={draft.from}
            onChange={(event) => set("from")(event.currentTarget.value)}
          />
          <TextInput
            type="datetime-local"
            label={t("filter.to")}
            value={draft.to}
            onChange={(event) => set("to")(event.currentTarget.value)}
          />
        </div>
      )}
      <div className={classes.foot}>
        <Action type="submit" kind="filled">
          {t("filter.apply")}
        </Action>
      </div>
    </form>
  );
}
