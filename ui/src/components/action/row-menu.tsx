import { Menu } from "@mantine/core";
import { IconDots, IconDotsVertical } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./row-menu.module.css";
import { usePhone } from "@/components/screen/use-phone";

/** The acts of one row behind three dots. */
export function RowMenu({ name, children }: { name: string; children: ReactNode }) {
  const { t } = useTranslation("app");
  const Dots = usePhone() ? IconDotsVertical : IconDots;
  return (
    <Menu>
      <Menu.Target>
        <button type="button" className={classes.dots} aria-label={t("table.actsOf", { name })}>
          <Dots size={17} stroke={1.8} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
