import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "@/text/use-format";
import classes from "./tabs.module.css";
import { Count } from "@/components/status/status";

export interface TabLink {
  key: string;
  label: string;
  count?: number;
  tone?: "crit";
  link: LinkProps;
}

const exactly = { exact: true, includeSearch: true };

/** Tabs of a page. Each is a place with its own address, so it is a link. */
export function PageTabs({ tabs, current, label }: { tabs: TabLink[]; current: string; label: string }) {
  return (
    <nav className={classes.tabs} aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.key}
          {...tab.link}
          activeOptions={exactly}
          className={classes.tab}
          data-current={tab.key === current || undefined}
          aria-current={tab.key === current ? "page" : undefined}
        >
          {tab.label}
          {tab.count !== undefined && <Count tone={tab.tone}>{tab.count}</Count>}
        </Link>
      ))}
    </nav>
  );
}

/** Tabs inside a card, without an address of their own. */
export function CardTabs<Key extends string>({
  tabs,
  current,
  onChange,
  label,
  children,
}: {
  tabs: { key: Key; label: string }[];
  current: Key;
  onChange: (key: Key) => void;
  label: string;
  children: ReactNode;
}) {
  const move = (step: number) => {
    const index = tabs.findIndex((tab) => tab.key === current);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (!next) return;
    onChange(next.key);
    document.getElementById(`tab-${next.key}`)?.focus();
  };
  return (
    <>
      <div className={classes.tabs} role="tablist" aria-label={label}>
        {tabs.map((tab) => (
          <button
            key={tab.key}
            id={`tab-${tab.key}`}
            type="button"
            role="tab"
            className={classes.tab}
            aria-selected={tab.key === current}
            aria-controls={`panel-${tab.key}`}
            tabIndex={tab.key === current ? 0 : -1}
            onClick={() => onChange(tab.key)}
            onKeyDown={(event) => {
              if (event.key === "ArrowRight") move(1);
              if (event.key === "ArrowLeft") move(-1);
            }}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`panel-${current}`} aria-labelledby={`tab-${current}`}>
        {children}
      </div>
    </>
  );
}

/** Ready filters of a list, each with its count. */
export function SavedViews({
  views,
  current,
  label,
}: {
  views: { key: string; label: string; count?: number; link: LinkProps }[];
  current: string;
  label: string;
}) {
  const format = useFormat();
  return (
    <nav className={classes.views} aria-label={label}>
      {views.map((view) => (
        <Link
          key={view.key}
          {...view.link}
          activeOptions={exactly}
          className={classes.view}
          data-current={view.key === current || undefined}
        >
          {view.label}
          {view.count !== undefined && <span className={`${classes.viewCount} num`}>{format.number(view.count)}</span>}
        </Link>
      ))}
    </nav>
  );
}
