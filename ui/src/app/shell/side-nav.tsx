import { Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import type { NavGroup } from "@/module";
import { useFormat, useLanguage } from "@/text/use-format";
import { navigation } from "../modules";
import { useIdle } from "./use-idle";
import { LiveFoot } from "./live-foot";
import classes from "./side-nav.module.css";

const groups: NavGroup[] = ["home", "network", "reliability", "protection", "system"];

type Entry = (typeof navigation)[number];

/** The left bar, built from what modules declare; a group with nothing to read is not drawn. */
export function SideNav({ rail }: { rail: boolean }) {
  const { t } = useTranslation("app");
  const { can } = useAccess();
  const idle = useIdle();
  const { pathname } = useLocation();
  const readable = navigation.filter((entry) => !entry.needs || can(...entry.needs));
  return (
    <div className={classes.side} data-rail={rail || undefined}>
      <nav aria-label={t("shell.nav")} className={classes.nav}>
        {groups.map((group) => {
          const own = readable.filter((entry) => entry.group === group).sort((a, b) => a.order - b.order);
          if (own.length === 0) return null;
          return (
            <div key={group} className={classes.group}>
              {group !== "home" &&
                (rail ? (
                  <hr className={classes.rule} />
                ) : (
                  <h2 className={`caps ${classes.head}`}>{t(`nav.${group}`)}</h2>
                ))}
              <ul>
                {own.map((entry) => (
                  <NavItem
                    key={entry.path}
                    entry={entry}
                    rail={rail}
                    counts={idle && !rail}
                    here={leadsTo(pathname, entry.path)}
                  />
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
      <LiveFoot rail={rail} />
    </div>
  );
}

function leadsTo(pathname: string, path: string): boolean {
  return pathname === path || (path !== "/" && pathname.startsWith(`${path}/`));
}

interface NavItemProps {
  entry: Entry;
  rail: boolean;
  /** Counts are asked for when nobody waits for anything else. */
  counts: boolean;
  here: boolean;
}

/** One entry; it is drawn again only when something of its own has changed. */
const NavItem = memo(function NavItem({ entry, rail, counts, here }: NavItemProps) {
  const language = useLanguage();
  const format = useFormat();
  const count = useQuery({
    queryKey: [entry.module, "count"],
    queryFn: entry.count ?? (() => 0),
    enabled: entry.count !== undefined && counts,
    staleTime: 30_000,
  });
  const Shape = entry.icon;
  const link = (
    <Link
      to={entry.path}
      className={classes.entry}
      aria-current={here ? "page" : undefined}
      aria-label={rail ? entry.label[language] : undefined}
    >
      <Shape size={rail ? 18 : 16} stroke={1.6} aria-hidden />
      {!rail && <span className={classes.label}>{entry.label[language]}</span>}
      {!rail && count.data !== undefined && entry.count && (
        <span className={`${classes.count} num`}>{format.number(count.data)}</span>
      )}
    </Link>
  );
  return (
    <li>
      {rail ? (
        <Tooltip label={entry.label[language]} position="right">
          {link}
        </Tooltip>
      ) : (
        link
      )}
    </li>
  );
});
