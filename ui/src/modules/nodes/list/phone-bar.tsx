import { Menu } from "@mantine/core";
import { IconArrowsSort, IconChecks } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import type { Column } from "@/components/table/columns";
import type { Sorting } from "@/components/table/data-table";
import type { Node } from "../shared/types";
import classes from "./nodes.module.css";

interface PhoneBarProps {
  columns: readonly Column<Node>[];
  sorting: Sorting;
  choosing: boolean;
  onChoosing: ((on: boolean) => void) | undefined;
}

/** What a table has in its head, at the thumb: the order of the list, and choosing rows. */
export function PhoneBar({ columns, sorting, choosing, onChoosing }: PhoneBarProps) {
  const { t } = useTranslation(["app", "nodes"]);
  const sortable = columns.filter((column) => column.sort !== undefined);
  const value = sorting.value?.replace(/^-/, "");
  const current = sortable.find((column) => column.sort === value);
  return (
    <div className={classes.phoneBar}>
      {onChoosing && (
        <Action icon={IconChecks} aria-pressed={choosing} onClick={() => onChoosing(!choosing)}>
          {t(choosing ? "nodes:chooseEnd" : "table.choose")}
        </Action>
      )}
      <Menu position="top-end" withinPortal>
        <Menu.Target>
          <Action icon={IconArrowsSort}>{current ? `${t("table.sort")}: ${current.head}` : t("table.sort")}</Action>
        </Menu.Target>
        <Menu.Dropdown>
          {sortable.map((column) => (
            <Menu.Item
              key={column.key}
              aria-current={column === current || undefined}
              onClick={() => sorting.onChange(sorting.value === column.sort ? `-${column.sort}` : column.sort!)}
            >
              {column.head}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
