import { Checkbox, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { sourcesQuery, type Component, type Group, type Source } from "../api";
import { LocalisedField, localText } from "../shared/localised";
import classes from "../statuspage.module.css";

interface ComponentDialogProps {
  component: Component;
  groups: Group[];
  locales: readonly string[];
  onClose: () => void;
  onDone: (component: Component) => void;
}

/** What a component stands for and what readers call it; it is stored with the page. */
export function ComponentDialog(props: ComponentDialogProps) {
  const { t } = useTranslation("statuspage");
  return (
    <FormModal opened onClose={props.onClose} title={t("component.title")} size="lg">
      <ComponentForm {...props} />
    </FormModal>
  );
}

const sources = ["flow", "node", "pool", "region", "manual"] as const;
const manual = ["operational", "degraded", "partial_outage", "major_outage", "maintenance"] as const;

function ComponentForm({ component, groups, locales, onClose, onDone }: ComponentDialogProps) {
  const { t } = useTranslation("statuspage");
  const [one, setOne] = useState(component);
  const set = (some: Partial<Component>) => setOne((now) => ({ ...now, ...some }));
  const cancel = useTyped(one !== component);
  const missing = !one.names[locales[0]!]?.trim()
    ? t("nameFirst")
    : one.source !== "manual" && one.source_id === ""
      ? t("component.sourceFirst")
      : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (missing) return;
    onDone(one);
    onClose();
  };
  return (
    <DialogForm onSubmit={submit}>
      <div className={classes.pair}>
        <Select
          size="md"
          label={t("component.source")}
          description={t("component.sourceHelp")}
          allowDeselect={false}
          data-autofocus
          data={sources.map((value) => ({ value, label: t(`source.${value}`) }))}
          value={one.source}
          onChange={(source) =>
            source && set({ source: source as Component["source"], source_id: "", source_name: undefined })
          }
        />
        {one.source === "manual" ? (
          <Select
            size="md"
            label={t("component.state")}
            description={t("component.stateHelp")}
            allowDeselect={false}
            data={manual.map((value) => ({ value, label: t(`status.${value}`) }))}
            value={one.manual_status || "operational"}
            onChange={(state) => state && set({ manual_status: state as Component["manual_status"] })}
          />
        ) : (
          <SourcePicker key={one.source} kind={one.source} component={one} onPick={set} />
        )}
      </div>
      <LocalisedField
        id="component-name"
        label={t("component.name")}
        description={t("component.nameHelp")}
        required
        locales={locales}
        maxLength={200}
        value={one.names}
        onChange={(names) => set({ names })}
      />
      {groups.length > 0 && (
        <Select
          size="md"
          label={t("component.group")}
          allowDeselect={false}
          data={[
            { value: "", label: t("components.ungrouped") },
            ...groups.map(({ id, names }) => ({ value: id ?? "", label: localText(names, locales[0]!) })),
          ]}
          value={one.group_id}
          onChange={(group) => set({ group_id: group ?? "" })}
        />
      )}
      <Checkbox
        checked={one.visible}
        onChange={(event) => set({ visible: event.currentTarget.checked })}
        label={t("component.visible")}
        description={t("component.visibleHelp")}
      />
      <Checkbox
        checked={one.show_bars}
        onChange={(event) => set({ show_bars: event.currentTarget.checked })}
        label={t("component.bars")}
        description={t("component.barsHelp")}
      />
      <DialogFoot>
        <Action size="dialog" onClick={cancel}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" reason={missing}>
          {t("take")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

interface SourcePickerProps {
  kind: Source["source"];
  component: Component;
  onPick: (some: Partial<Component>) => void;
}

/** Finds a flow, node, pool or region by name; the panel searches, so that a large fleet is never read whole. */
function SourcePicker({ kind, component: { source_id: id, source_name: name }, onPick }: SourcePickerProps) {
  const { t } = useTranslation("statuspage");
  const shown = kind === "region" ? id : (name ?? "");
  const [typed, setTyped] = useState(shown);
  const found = useQuery(sourcesQuery(kind, typed === shown ? "" : typed)).data ?? [];
  const options = found.map((one) => ({ value: one.id, label: one.detail ? `${one.name} · ${one.detail}` : one.name }));
  if (id !== "" && !options.some(({ value }) => value === id)) options.unshift({ value: id, label: shown || id });
  const pick = (next: string | null) => {
    const chosen = found.find((one) => one.id === next);
    if (chosen) onPick({ source_id: chosen.id, source_name: chosen.name });
  };
  return (
    <Select
      size="md"
      searchable
      label={t(`source.${kind}`)}
      description={t("component.pickHelp")}
      required
      allowDeselect={false}
      nothingFoundMessage={t("component.nothing")}
      data={options}
      filter={({ options: all }) => all}
      value={id === "" ? null : id}
      onSearchChange={setTyped}
      onChange={pick}
    />
  );
}
