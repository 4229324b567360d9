import { Menu, useMantineColorScheme } from "@mantine/core";
import { IconDevices, IconLogout, IconPassword, IconShieldLock } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { useSignOut } from "@/modules/accounts/sign-in/api";
import { initials } from "@/text/initials";
import { useLanguage } from "@/text/use-format";
import classes from "./account-menu.module.css";
import { useChooseLanguage } from "./use-account-language";

const schemes = ["auto", "light", "dark"] as const;
const languages = { en: "English", ru: "Русский" } as const;

export function AccountMenu() {
  const { t } = useTranslation("app");
  const { account } = useAccess();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const language = useLanguage();
  const chooseLanguage = useChooseLanguage();
  const navigate = useNavigate();
  const signOut = useSignOut();
  return (
    <Menu width={224}>
      <Menu.Target>
        <button
          type="button"
          className={classes.avatar}
          aria-label={t("account.menu", { name: account?.username ?? "" })}
        >
          {initials(account?.username ?? "")}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{account?.username}</Menu.Label>
        <Menu.Item
          leftSection={<IconShieldLock size={15} stroke={1.6} aria-hidden />}
          onClick={() => void navigate({ to: "/account/security" })}
        >
          {t("account.security")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconPassword size={15} stroke={1.6} aria-hidden />}
          onClick={() => void navigate({ to: "/account/password" })}
        >
          {t("account.password")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDevices size={15} stroke={1.6} aria-hidden />}
          onClick={() => void navigate({ to: "/account/sessions" })}
        >
          {t("account.sessions")}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t("account.language")}</Menu.Label>
        <Menu.RadioGroup value={language} onChange={(key) => chooseLanguage(key as typeof language)}>
          {(Object.keys(languages) as (keyof typeof languages)[]).map((key) => (
            <Menu.RadioItem key={key} value={key} closeMenuOnClick={false}>
              {languages[key]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t("account.theme")}</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}>
          {schemes.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick={false}>
              {t(`theme.${scheme}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={15} stroke={1.6} aria-hidden />} onClick={() => signOut.mutate()}>
          {t("account.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
