import { NumberInput, Select, Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { useRequestKey } from "@/api/request-key";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { nodesQuery, useSearch, type Mode, type NewSearch, type Search } from "./api";

const modes: readonly Mode[] = ["host_list", "cidr", "neighbours", "own_domain"];

/** Modes whose targets somebody types. */
const typedModes: readonly Mode[] = ["host_list", "cidr"];

interface SearchFormProps {
  /** The node to search from; without it the form asks. */
  nodeId?: string;
  onStarted: (search: Search) => void;
}

/** Asks where targets come from and begins a search. */
export function SearchForm({ nodeId, onStarted }: SearchFormProps) {
  const { t } = useTranslation("targets");
  const start = useSearch();
  const [node, setNode] = useState<string | null>(nodeId ?? null);
  const [mode, setMode] = useState<Mode>("host_list");
  const [text, setText] = useState("");
  const [port, setPort] = useState<number>();
  const [tried, setTried] = useState(false);
  const asks = typedModes.includes(mode);
  const inputs = asks ? linesOf(text) : [];
  const order = {
    node_id: node ?? "",
    mode,
    ...(asks && { inputs }),
    ...(port !== undefined && { port }),
  } satisfies NewSearch;
  const key = useRequestKey(order);
  const close = useTyped(text.trim() !== "" && !start.isPending && !start.isSuccess);
  const wrong = fieldErrors(start.error);
  const wrongInputs = Object.keys(wrong).filter((field) => field.startsWith("inputs"));
  const wrongInput = wrongInputs[0];
  const fields = {
    node_id: "search-node",
    port: "search-port",
    ...Object.fromEntries(wrongInputs.map((field) => [field, "search-inputs"])),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!node || (asks && inputs.length === 0) || start.isPending) return;
    start.mutate({ ...order, key }, { onSuccess: onStarted });
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems error={start.error} fields={fields} />
      {nodeId === undefined && (
        <NodeField value={node} onChange={setNode} error={(tried && !node && t("form.nodeMissing")) || wrong.node_id} />
      )}
      <Select
        size="md"
        label={t("form.mode")}
        description={t(`form.help.${mode}`)}
        data={modes.map((value) => ({ value, label: t(`mode.${value}`) }))}
        value={mode}
        onChange={(value) => setMode(value as Mode)}
        allowDeselect={false}
      />
      {asks && (
        <Textarea
          size="md"
          id="search-inputs"
          label={t(`form.inputs.${mode}`)}
          placeholder={mode === "cidr" ? "203.0.113.0/24" : "www.example.org\nwww.example.net:8443"}
          autosize
          minRows={4}
          maxRows={12}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={
            (tried && inputs.length === 0 && t("form.inputsMissing")) ||
            (wrongInput && t("form.inputWrong", { input: inputAt(inputs, wrongInput), why: wrong[wrongInput] }))
          }
        />
      )}
      <NumberInput
        size="md"
        id="search-port"
        label={t("form.port")}
        placeholder="443"
        min={1}
        max={65535}
        allowDecimal={false}
        allowNegative={false}
        hideControls
        value={port ?? ""}
        onChange={(value) => setPort(value === "" ? undefined : Number(value))}
        error={wrong.port}
      />
      <p className="dim">{t("form.warning")}</p>
      <DialogFoot>
        {nodeId === undefined && (
          <Action size="dialog" onClick={close}>
            {t("cancel")}
          </Action>
        )}
        <Action size="dialog" kind="filled" type="submit" busy={start.isPending}>
          {t("form.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

/** What is typed or pasted, one target a line or between commas. */
function linesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
}

/** The input that a refusal names as `inputs[3]`. */
function inputAt(inputs: readonly string[], field: string): string {
  return inputs[Number(/\[(\d+)\]/.exec(field)?.[1] ?? -1)] ?? "";
}

function NodeField({
  value,
  onChange,
  error,
}: {
  value: string | null;
  onChange: (value: string | null) => void;
  error: string | false | undefined;
}) {
  const { t } = useTranslation("targets");
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<{ value: string; label: string }>();
  const [q] = useDebouncedValue(chosen?.label === text ? "" : text.trim(), 200);
  const found = useQuery(nodesQuery(q)).data ?? [];
  const options = chosen && !found.some((one) => one.value === chosen.value) ? [chosen, ...found] : found;
  return (
    <Select
      id="search-node"
      size="md"
      data-autofocus
      label={t("form.node")}
      description={t("form.nodeHelp")}
      searchable
      nothingFoundMessage={t("form.noNode")}
      data={options}
      filter={({ options: all }) => all}
      value={value}
      searchValue={text}
      onSearchChange={setText}
      onChange={(next) => {
        setChosen(options.find((one) => one.value === next));
        onChange(next);
      }}
      error={error}
    />
  );
}
