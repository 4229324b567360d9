import { useQuery } from "@tanstack/react-query";
import { IconHandStop, IconLayoutSidebar, IconMenu2, IconSearch } from "@tabler/icons-react";
import { Link, useMatches, useParams } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { pageTitle } from "@/components/layout/page-title";
import { useLanguage } from "@/text/use-format";
import { AccountMenu } from "./account-menu";
import { Logo } from "@/components/layout/logo";
import { stateQuery } from "@/modules/automation/api";
import { JobTray } from "@/modules/operations/tray";
import classes from "./top-bar.module.css";

export function TopBar({
  rail,
  onMenu,
  onFold,
  onSearch,
  sheet,
}: {
  rail: boolean;
  onMenu: () => void;
  onFold: () => void;
  onSearch: () => void;
  /** The button of the sheet beside the page. */
  sheet: ReactNode;
}) {
  const { t } = useTranslation("app");
  return (
    <header className={classes.bar}>
      <div className={classes.brand} data-rail={rail || undefined}>
        <button type="button" className={classes.icon} data-phone onClick={onMenu} aria-label={t("shell.openMenu")}>
          <IconMenu2 size={20} stroke={1.6} aria-hidden />
        </button>
        <Link to="/" className={classes.logo} aria-label={t("shell.home")}>
          <Logo />
          {!rail && <span>Panel</span>}
        </Link>
        {!rail && (
          <button type="button" className={classes.icon} data-wide onClick={onFold} aria-label={t("shell.fold")}>
            <IconLayoutSidebar size={16} stroke={1.6} aria-hidden />
          </button>
        )}
      </div>
      {rail && (
        <button type="button" className={classes.icon} data-wide onClick={onFold} aria-label={t("shell.unfold")}>
          <IconLayoutSidebar size={16} stroke={1.6} aria-hidden />
        </button>
      )}
      <Breadcrumb />
      <button
        type="button"
        className={classes.search}
        onClick={onSearch}
        aria-label={t("palette.open")}
        aria-keyshortcuts="Control+K"
      >
        <IconSearch size={16} stroke={1.6} aria-hidden />
        <span>{t("palette.hint")}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <StoppedMark />
      <JobTray />
      {sheet}
      <AccountMenu />
    </header>
  );
}

/** Stands beside the jobs while everything automatic is stopped, also where a banner says something else. */
function StoppedMark() {
  const { t } = useTranslation("app");
  const stopped = useQuery(stateQuery).data?.stopped === true;
  if (!stopped) return null;
  return (
    <Link
      to="/settings/{-$section}"
      params={{ section: "automation" }}
      className={classes.icon}
      data-tone="warn"
      aria-label={t("banner.stopped")}
      title={t("banner.stopped")}
    >
      <IconHandStop size={18} stroke={1.6} aria-hidden />
    </Link>
  );
}

function Breadcrumb() {
  const { t } = useTranslation("app");
  const language = useLanguage();
  const page = useMatches().at(-1)?.staticData.page;
  const params = useParams({ strict: false }) as Record<string, string>;
  const named = useStore(pageTitle);
  if (!page) return <div className={classes.crumbs} />;
  const resolve = (path: string) => path.replace(/\$(\w+)/g, (_, key: string) => params[key] ?? "");
  const own = named.title ?? page.title[language];
  return (
    <nav className={classes.crumbs} aria-label={t("shell.breadcrumb")}>
      {(page.parents ?? []).map((parent, index) => (
        <Fragment key={index}>
          {parent.path ? (
            <Link to={resolve(parent.path)}>{named.parents[index] ?? parent.label[language]}</Link>
          ) : (
            <span className="dim">{parent.label[language]}</span>
          )}
          <span className={classes.slash} aria-hidden>
            /
          </span>
        </Fragment>
      ))}
      <span className={classes.here} aria-current="page">
        {own}
      </span>
    </nav>
  );
}
