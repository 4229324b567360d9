import { TagsInput, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import type { CatalogueSet } from "./api";
import classes from "./policies.module.css";

const lists = ["geosite", "geoip", "domain", "ip"] as const;

interface SetFieldsProps {
  set: CatalogueSet;
  /** What is refused of a field. */
  error: (field: string) => string | undefined;
  block: string | undefined;
  onChange: (set: CatalogueSet) => void;
  onRemove: () => void;
}

/** One set of names and addresses. */
export function SetFields({ set, error, block, onChange, onRemove }: SetFieldsProps) {
  const { t } = useTranslation("policies");
  return (
    <div className={classes.rule} role="group" aria-label={set.name || t("catalogue.newSet")}>
      <div className={classes.named}>
        <TextInput
          size="md"
          label={t("catalogue.name")}
          placeholder="messengers"
          autoComplete="off"
          value={set.name}
          maxLength={40}
          disabled={block !== undefined}
          error={error("name")}
          onChange={(event) => onChange({ ...set, name: event.currentTarget.value })}
        />
        <Action iconOnly icon={IconTrash} reason={block} onClick={onRemove}>
          {t("catalogue.removeSet", { name: set.name })}
        </Action>
      </div>
      <div className={classes.pair}>
        {lists.map((list) => (
          <TagsInput
            key={list}
            size="md"
            label={t(`catalogue.${list}`)}
            disabled={block !== undefined}
            value={set[list] ?? []}
            error={error(list)}
            onChange={(values) => onChange({ ...set, [list]: values })}
          />
        ))}
      </div>
    </div>
  );
}
