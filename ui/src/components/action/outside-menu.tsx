import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconLanguage, IconMoon, IconSun } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { changeLanguage } from "@/text/i18n";
import { useLanguage } from "@/text/use-format";
import { Action } from "./action";
import classes from "./outside-menu.module.css";

/** Language and theme on pages without the shell. */
export function OutsideMenu() {
  const { t } = useTranslation("app");
  const language = useLanguage();
  const scheme = useComputedColorScheme("dark");
  const { setColorScheme } = useMantineColorScheme();
  const other = language === "en" ? "ru" : "en";
  return (
    <div className={classes.menu}>
      <Action
        kind="ghost"
        icon={IconLanguage}
        onClick={() => void changeLanguage(other)}
        aria-label={other === "ru" ? "Переключить на русский" : "Switch to English"}
        lang={other}
      >
        {language === "en" ? "English" : "Русский"}
      </Action>
      <Action
        kind="ghost"
        iconOnly
        icon={scheme === "dark" ? IconMoon : IconSun}
        onClick={() => setColorScheme(scheme === "dark" ? "light" : "dark")}
      >
        {scheme === "dark" ? t("theme.toLight") : t("theme.toDark")}
      </Action>
    </div>
  );
}
