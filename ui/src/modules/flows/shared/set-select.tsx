import { MultiSelect, type MultiSelectProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { catalogueQuery } from "./custom-plans";

type SetSelectProps = Omit<MultiSelectProps, "data"> & { value: string[] };

/** Sets of the policy catalogue by their names; a name that the catalogue has no more stays to be seen. */
export function SetSelect({ value, ...shared }: SetSelectProps) {
  const { t } = useTranslation("flows");
  const catalogue = useQuery(catalogueQuery).data;
  const known = (catalogue?.sets ?? []).map(({ name }) => name);
  return (
    <MultiSelect
      placeholder={value.length > 0 ? undefined : t(catalogue && known.length === 0 ? "match.noSets" : "match.any")}
      searchable
      nothingFoundMessage={t("match.noSet")}
      data={[...new Set([...value, ...known])]}
      value={value}
      {...shared}
    />
  );
}
