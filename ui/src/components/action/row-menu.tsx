import { Menu } from "@mantine/core";
import { IconDots, IconDotsVertical } from "@tabler/icons-react";
import { useLayoutEffect, useRef, useState, type ComponentPropsWithRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./row-menu.module.css";
import { usePhone } from "@/components/screen/use-phone";

/** The acts of one row behind three dots. A list has many of them: the menu is made when it is first opened. */
export function RowMenu({ name, children }: { name: string; children: ReactNode }) {
  const [made, setMade] = useState(false);
  if (made) return <MadeMenu name={name}>{children}</MadeMenu>;
  return <Dots name={name} aria-haspopup="menu" aria-expanded={false} onClick={() => setMade(true)} />;
}

function MadeMenu({ name, children }: { name: string; children: ReactNode }) {
  const target = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  // It takes the place of the button that was pressed, and its focus, to which the menu gives it back.
  useLayoutEffect(() => {
    target.current?.focus({ preventScroll: true });
    setOpened(true);
  }, []);
  return (
    <Menu opened={opened} onChange={setOpened}>
      <Menu.Target>
        <Dots ref={target} name={name} />
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

function Dots({ name, ...rest }: { name: string } & ComponentPropsWithRef<"button">) {
  const { t } = useTranslation("app");
  const Shape = usePhone() ? IconDotsVertical : IconDots;
  return (
    <button {...rest} type="button" className={classes.dots} aria-label={t("table.actsOf", { name })}>
      <Shape size={17} stroke={1.8} aria-hidden />
    </button>
  );
}
