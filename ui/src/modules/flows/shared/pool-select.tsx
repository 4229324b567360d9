import { Select, type SelectProps } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { answer, api } from "@/api/client";
import { everyPage } from "@/components/table/every-page";

/** All transit pools by their names. */
const poolNamesQuery = queryOptions({
  queryKey: ["pools", "names", "every"],
  queryFn: ({ signal }) =>
    everyPage((cursor) =>
      answer(
        api.GET("/api/v1/transit-pools", {
          params: { query: { limit: 200, sort: "name", ...(cursor && { cursor }) } },
          signal,
        }),
      ),
    ),
});

/** The pools by their ids, where some are asked for. */
export function usePools(wanted: boolean) {
  return useQuery({ ...poolNamesQuery, enabled: wanted }).data ?? [];
}

type PoolSelectProps = Omit<SelectProps, "value" | "onChange" | "data"> & {
  value: string | null;
  onChange: (value: string | null) => void;
};

/** A transit pool. */
export function PoolSelect({ value, onChange, ...shared }: PoolSelectProps) {
  const { t } = useTranslation("flows");
  const pools = useQuery(poolNamesQuery);
  const options = (pools.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  if (value && !options.some((option) => option.value === value))
    options.unshift({ value, label: pools.isSuccess ? t("field.poolGone") : value });
  return (
    <Select
      placeholder={t("field.choose")}
      searchable
      nothingFoundMessage={t("field.noPool")}
      data={options}
      value={value}
      onChange={onChange}
      {...shared}
    />
  );
}
