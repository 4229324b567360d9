import { Checkbox } from "@mantine/core";
import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Segmented } from "@/components/form/segmented";
import { Action } from "@/components/action/action";
import { ButtonPopover } from "@/components/action/button-popover";
import type { Column } from "./columns";
import classes from "./columns-menu.module.css";
import type { Density, OwnLook } from "./use-table-look";

interface ColumnsMenuProps<Row> {
  /** Without the first one: it names the row and stays. */
  columns: readonly Column<Row>[];
  shown: readonly Column<Row>[];
  noRoom: readonly Column<Row>[];
  own: OwnLook;
}

/** Which columns a table shows, and how dense its rows are. */
export function ColumnsMenu<Row>({ columns, shown, noRoom, own: { look, change } }: ColumnsMenuProps<Row>) {
  const { t } = useTranslation("app");
  const choose = (key: string, on: boolean) => change({ columns: { ...look.columns, [key]: on } });
  return (
    <ButtonPopover
      button={(target) => (
        <button type="button" {...target} className={classes.open} aria-label={t("table.look")} title={t("table.look")}>
          <IconAdjustmentsHorizontal size={16} stroke={1.7} aria-hidden />
        </button>
      )}
    >
      <div className={classes.body}>
        <Segmented<Density>
          label={t("table.density")}
          value={look.density}
          onChange={(density) => change({ density })}
          options={[
            { value: "comfortable", label: t("table.comfortable") },
            { value: "compact", label: t("table.compact") },
          ]}
        />
        <ul className={classes.list} aria-label={t("table.columns")}>
          {columns.map((column) => (
            <li key={column.key}>
              <Checkbox
                size="xs"
                label={column.head}
                description={noRoom.includes(column) ? t("table.noRoom") : undefined}
                checked={shown.includes(column)}
                onChange={(event) => choose(column.key, event.currentTarget.checked)}
              />
            </li>
          ))}
        </ul>
        <Action kind="link" onClick={() => change({ columns: {}, density: "comfortable" })}>
          {t("table.usualLook")}
        </Action>
        <p className="dim">{t("table.keptHere")}</p>
      </div>
    </ButtonPopover>
  );
}
