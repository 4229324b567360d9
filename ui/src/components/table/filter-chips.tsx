import { Select } from "@mantine/core";
import { IconFilter, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { ButtonPopover } from "@/components/action/button-popover";
import classes from "./filter-chips.module.css";

/** One thing that a list can be filtered by. */
export interface FilterField {
  key: string;
  label: string;
  value: string | undefined;
  options: { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
}

interface FilterChipsProps {
  fields: readonly FilterField[];
  onClear: () => void;
}

/** The button that opens the filters of a list. */
export function FilterButton({ fields }: { fields: readonly FilterField[] }) {
  const { t } = useTranslation("app");
  return (
    <ButtonPopover
      button={(target) => (
        <Action {...target} icon={IconFilter}>
          {t("table.filters")}
        </Action>
      )}
    >
      <div className={classes.fields}>
        {fields.map((field) => (
          <Select
            key={field.key}
            label={field.label}
            placeholder={t("table.any")}
            data={field.options}
            value={field.value ?? null}
            onChange={(value) => field.onChange(value ?? undefined)}
            clearable
            searchable={field.options.length > 8}
            nothingFoundMessage={t("table.noOption")}
            comboboxProps={{ withinPortal: false }}
          />
        ))}
      </div>
    </ButtonPopover>
  );
}

/** What a list is filtered by now; each can be taken off. Nothing is drawn where nothing is filtered. */
export function FilterChips({ fields, onClear }: FilterChipsProps) {
  const { t } = useTranslation("app");
  const set = fields.filter((field) => field.value !== undefined);
  if (set.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label={t("table.filters")}>
      {set.map((field) => {
        const value = field.options.find((option) => option.value === field.value)?.label ?? field.value;
        return (
          <li key={field.key} className={classes.chip}>
            <span>
              <span className="dim">{field.label}:</span> {value}
            </span>
            <button
              type="button"
              aria-label={t("table.takeOff", { name: `${field.label}: ${value}` })}
              onClick={() => field.onChange(undefined)}
            >
              <IconX size={13} stroke={1.8} aria-hidden />
            </button>
          </li>
        );
      })}
      {set.length > 1 && (
        <li>
          <Action kind="link" onClick={onClear}>
            {t("table.clearFilters")}
          </Action>
        </li>
      )}
    </ul>
  );
}
