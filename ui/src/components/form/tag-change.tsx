import { MultiSelect, TagsInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";

const most = 20;
const longest = 32;

export interface TagChange {
  add_tags: string[];
  remove_tags: string[];
}

/** What is put on many things and taken off them, while it is typed. */
export function useTagChange() {
  const [change, setChange] = useState<TagChange>({ add_tags: [], remove_tags: [] });
  return { change, setChange, nothing: change.add_tags.length + change.remove_tags.length === 0 };
}

/** Fields for it; what can be taken off is what one of them has. */
export function TagChangeFields({
  of,
  change,
  onChange,
}: {
  of: readonly { tags: readonly string[] }[];
  change: TagChange;
  onChange: (change: TagChange) => void;
}) {
  const { t } = useTranslation("app");
  const present = [...new Set(of.flatMap(({ tags }) => tags))].sort();
  return (
    <>
      <TagsInput
        size="md"
        data-autofocus
        label={t("tags.add")}
        description={t("tags.help")}
        maxTags={most}
        maxLength={longest}
        value={change.add_tags}
        onChange={(add_tags) => onChange({ ...change, add_tags })}
      />
      {present.length > 0 && (
        <MultiSelect
          size="md"
          label={t("tags.remove")}
          placeholder={change.remove_tags.length === 0 ? t("tags.choose") : undefined}
          maxValues={most}
          data={present}
          value={change.remove_tags}
          onChange={(remove_tags) => onChange({ ...change, remove_tags })}
        />
      )}
    </>
  );
}
