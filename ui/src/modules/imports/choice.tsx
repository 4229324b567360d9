import { Checkbox, Select, TextInput } from "@mantine/core";
import { useDebouncedValue, useId } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { FormProblems } from "@/components/form/form-problems";
import { nodesQuery, type Entry, type Import, type Taken } from "./api";
import classes from "./imports.module.css";

interface Chosen {
  id: string;
  key: string;
  node_id?: string;
  entries: Taken[];
}

/** Which entries become flows, under which names and on which node. */
export function Choice(props: {
  found: Import;
  busy: boolean;
  error: unknown;
  onBack: () => void;
  onTake: (choice: Chosen) => void;
}) {
  const { t } = useTranslation("imports");
  const { found } = props;
  const [names, setNames] = useState(() => new Map(found.entries.map((entry) => [entry.key, entry.name])));
  const [keys, setKeys] = useState(() => new Set(found.entries.filter(({ off }) => !off).map(({ key }) => key)));
  const [node, setNode] = useState<string | null>(null);
  const [key] = useState(() => crypto.randomUUID());
  const chosen = found.entries.filter((entry) => keys.has(entry.key));
  const toggle = (entry: Entry) =>
    setKeys((before) => {
      const next = new Set(before);
      if (!next.delete(entry.key)) next.add(entry.key);
      return next;
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (chosen.length === 0 || props.busy) return;
    const entries = chosen.map((entry) => ({ key: entry.key, name: (names.get(entry.key) ?? "").trim() }));
    props.onTake({ id: found.id, key, ...(node && { node_id: node }), entries });
  };
  if (found.entries.length === 0)
    return (
      <div className={classes.form}>
        <p>{t("choice.none")}</p>
        <div className={classes.foot}>
          <Action size="dialog" onClick={props.onBack}>
            {t("choice.back")}
          </Action>
        </div>
      </div>
    );
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <FormProblems error={props.error} />
      <p className="soft">{t("choice.lead")}</p>
      <ul className={classes.entries} aria-label={t("choice.list")}>
        {found.entries.map((entry) => (
          <EntryRow
            key={entry.key}
            entry={entry}
            checked={keys.has(entry.key)}
            name={names.get(entry.key) ?? ""}
            onToggle={() => toggle(entry)}
            onName={(name) => setNames((before) => new Map(before).set(entry.key, name))}
          />
        ))}
      </ul>
      {found.entries.some(({ subscriptions }) => subscriptions > 0) && (
        <p className="soft">{t("choice.subscriptions", { path: "/sub/…" })}</p>
      )}
      {found.entries.some(({ whole }) => !whole) && <NodeField value={node} onChange={setNode} />}
      <div className={classes.foot}>
        <span className="dim">{t("choice.nothing")}</span>
        <Action size="dialog" onClick={props.onBack}>
          {t("choice.back")}
        </Action>
        <Action
          size="dialog"
          kind="filled"
          type="submit"
          busy={props.busy}
          reason={chosen.length === 0 ? t("choice.choose") : undefined}
        >
          {t("choice.take", { count: chosen.length })}
        </Action>
      </div>
    </form>
  );
}

interface RowProps {
  entry: Entry;
  checked: boolean;
  name: string;
  onToggle: () => void;
  onName: (name: string) => void;
}

function EntryRow({ entry, checked, name, onToggle, onName }: RowProps) {
  const { t } = useTranslation("imports");
  const short = checked && name.trim().length < 3;
  const facts = entry.whole
    ? [t("choice.whole")]
    : [entry.protocol, entry.transport, entry.security, `:${entry.port}`, entry.domain];
  return (
    <li className={classes.entry}>
      <Checkbox checked={checked} onChange={onToggle} aria-label={t("choice.entry", { name: entry.name })} />
      <div className={classes.words}>
        <TextInput
          aria-label={t("choice.name", { name: entry.name })}
          value={name}
          maxLength={64}
          disabled={!checked}
          error={short ? t("choice.short") : undefined}
          onChange={(event) => onName(event.currentTarget.value)}
        />
        <span className={classes.facts}>
          <span className="mono">{facts.filter(Boolean).join(" · ")}</span>
          {!entry.whole && <span>{t("clients", { count: entry.clients })}</span>}
          {entry.subscriptions > 0 && <span>{t("subscriptions", { count: entry.subscriptions })}</span>}
          {entry.off && <span>{t("choice.off")}</span>}
        </span>
        {entry.problems.length > 0 && (
          <span className="dim">{t("choice.problems", { count: entry.problems.length })}</span>
        )}
      </div>
    </li>
  );
}

function NodeField({ value, onChange }: { value: string | null; onChange: (value: string | null) => void }) {
  const { t } = useTranslation("imports");
  const id = useId();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<{ value: string; label: string }>();
  const [q] = useDebouncedValue(chosen?.label === text ? "" : text.trim(), 200);
  const found = useQuery(nodesQuery(q)).data ?? [];
  const options = chosen && !found.some((one) => one.value === chosen.value) ? [chosen, ...found] : found;
  return (
    <Select
      id={id}
      size="md"
      label={t("choice.node")}
      description={t("choice.nodeHelp")}
      placeholder={t("choice.nodeLater")}
      searchable
      clearable
      clearButtonProps={{ "aria-label": t("choice.nodeClear") }}
      nothingFoundMessage={t("choice.noNode")}
      data={options}
      filter={({ options: all }) => all}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      onChange={(next) => {
        setChosen(options.find((one) => one.value === next));
        onChange(next);
      }}
    />
  );
}
