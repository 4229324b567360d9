import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { SavedViews } from "@/components/layout/tabs";
import { FilterButton, FilterChips, type FilterField } from "@/components/table/filter-chips";
import type { Flow } from "../shared/api";
import classes from "./list.module.css";
import { viewFilters, type FlowListSearch } from "./list-search";

interface FilterRowProps {
  all: readonly Flow[];
  filter: FlowListSearch;
  onFilter: (change: Partial<FlowListSearch>) => void;
}

/** Ready views with their counts, filters as chips, and the search of the list. */
export function FilterRow({ all, filter, onFilter }: FilterRowProps) {
  const { t } = useTranslation("flows");
  const fields = useFields({ all, filter, onFilter });
  const search = useDebouncedCallback((q: string) => onFilter({ q: q || undefined }), 250);
  const views = (["all", "config", "health", "bypassed"] as const).map((key) => ({
    key,
    label: t(`view.${key}`),
    count: all.length === 0 ? undefined : all.filter(viewFilters[key]).length,
    link: {
      to: "/flows",
      search: (old: Record<string, unknown>) => ({ ...old, view: key === "all" ? undefined : key }),
    },
  }));
  return (
    <>
      <div className={classes.filters}>
        <SavedViews views={views} current={filter.view} label={t("view.label")} />
        <div className={classes.tools}>
          <FilterButton fields={fields} />
          <TextInput
            className={classes.search}
            aria-label={t("list.filter")}
            placeholder={t("list.filter")}
            data-search
            leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
            defaultValue={filter.q}
            onChange={(event) => search(event.currentTarget.value)}
          />
        </div>
      </div>
      <FilterChips fields={fields} onClear={() => onFilter({ tag: undefined, health: undefined })} />
    </>
  );
}

function useFields({ all, filter, onFilter }: FilterRowProps): FilterField[] {
  const { t } = useTranslation("flows");
  const tags = new Set(all.flatMap((flow) => flow.tags));
  if (filter.tag) tags.add(filter.tag);
  return [
    {
      key: "health",
      label: t("list.health"),
      value: filter.health,
      options: (["down", "degraded", "unknown", "healthy"] as const).map((value) => ({
        value,
        label: t(`health.${value}`),
      })),
      onChange: (value) => onFilter({ health: value as FlowListSearch["health"] }),
    },
    {
      key: "tag",
      label: t("list.tag"),
      value: filter.tag,
      options: [...tags].sort().map((value) => ({ value, label: value })),
      onChange: (tag) => onFilter({ tag }),
    },
  ];
}
