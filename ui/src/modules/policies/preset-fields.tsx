import { Select, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import type { Preset } from "./api";
import classes from "./policies.module.css";
import { useValueText } from "./rule-text";
import { protocols, securities, transports } from "./rules";

const choices = { protocol: protocols, transport: transports, security: securities, flow: ["xtls-rprx-vision"] };

interface PresetFieldsProps {
  preset: Preset;
  error: string | undefined;
  block: string | undefined;
  onChange: (preset: Preset) => void;
  onRemove: () => void;
}

/** A kind of listener that policies may ask for. What is left open may be anything. */
export function PresetFields({ preset, error, block, onChange, onRemove }: PresetFieldsProps) {
  const { t } = useTranslation("policies");
  const valueText = useValueText();
  const set = (field: keyof Preset, value: string | null) => {
    const { [field]: _, ...rest } = preset;
    onChange((value === null ? rest : { ...preset, [field]: value }) as Preset);
  };
  return (
    <div className={classes.rule} role="group" aria-label={preset.name || t("catalogue.newPreset")}>
      <div className={classes.named}>
        <TextInput
          size="md"
          label={t("catalogue.name")}
          placeholder="vision"
          autoComplete="off"
          value={preset.name}
          maxLength={40}
          disabled={block !== undefined}
          error={error}
          onChange={(event) => set("name", event.currentTarget.value)}
        />
        <Action iconOnly icon={IconTrash} reason={block} onClick={onRemove}>
          {t("catalogue.removePreset", { name: preset.name })}
        </Action>
      </div>
      <div className={classes.pair}>
        {(["protocol", "transport", "security", "flow"] as const).map((field) => (
          <Select
            key={field}
            size="md"
            label={t(`catalogue.${field}`)}
            allowDeselect={false}
            disabled={block !== undefined}
            data={[
              ...(field === "protocol" ? [] : [{ value: "", label: t("catalogue.anything") }]),
              ...choices[field].map((value) => ({ value, label: valueText(value) })),
            ]}
            value={preset[field] ?? ""}
            onChange={(value) => set(field, value || null)}
          />
        ))}
      </div>
    </div>
  );
}
