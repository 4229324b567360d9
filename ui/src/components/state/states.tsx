import type { UseQueryResult } from "@tanstack/react-query";
import { IconLock, IconMoodEmpty, type Icon } from "@tabler/icons-react";
import { useEffect, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { useFormat } from "@/text/use-format";
import { CopyButton } from "@/components/action/copy-button";
import classes from "./states.module.css";
import { Status } from "@/components/status/status";

/** What a view draws. Empty is a ready state whose data is empty; the view decides. */
export type ViewState<T> =
  { kind: "loading" } | { kind: "error"; error: unknown; retry: () => void } | { kind: "ready"; data: T };

/** The state of a query, keeping old data on the screen while new data is fetched. */
export function viewState<T>(query: Pick<UseQueryResult<T>, "data" | "error" | "refetch">): ViewState<T> {
  if (query.data !== undefined) return { kind: "ready", data: query.data };
  if (query.error) return { kind: "error", error: query.error, retry: () => void query.refetch() };
  return { kind: "loading" };
}

/** First use, or nothing for a filter: what it is, why, one act. */
export function EmptyState({
  icon: Shape = IconMoodEmpty,
  title,
  children,
  act,
}: {
  icon?: Icon;
  title: string;
  children?: ReactNode;
  act?: ReactNode;
}) {
  return (
    <div className={classes.empty}>
      <Shape size={24} stroke={1.4} aria-hidden />
      <p className="strong">{title}</p>
      {children !== undefined && <div className={classes.text}>{children}</div>}
      {act}
    </div>
  );
}

/** The page in place of one that the account may not read. */
export function NoPermission({ required }: { required: readonly string[] }) {
  const { t } = useTranslation("app");
  const { account, permissions } = useAccess();
  const request = t("denied.request", { username: account?.username ?? "", keys: required.join(", ") });
  return (
    <div className={classes.empty} role="alert">
      <IconLock size={24} stroke={1.4} aria-hidden />
      <h1 className={classes.title}>{t("denied.title")}</h1>
      <div className={classes.text}>
        <p>
          {t("denied.needs")}{" "}
          {required.map((key) => (
            <code key={key} className={classes.key}>
              {key}
            </code>
          ))}
        </p>
        <p>
          {t("denied.yours")}{" "}
          {permissions.length === 0
            ? t("denied.none")
            : permissions.map((key) => (
                <code key={key} className={classes.key}>
                  {key}
                </code>
              ))}
        </p>
        <p>{t("denied.who")}</p>
      </div>
      <CopyButton value={request} what={t("denied.copy")} text={t("denied.copy")} kind="default" iconOnly={false} />
    </div>
  );
}

/** The plan does not have the feature; what can be read stays readable elsewhere. */
export function FeatureBlocked({ name, plan, act }: { name: string; plan: string; act?: ReactNode }) {
  const { t } = useTranslation("app");
  return (
    <EmptyState icon={IconLock} title={t("blocked.title", { name })} act={act}>
      {t("blocked.text", { plan })}
    </EmptyState>
  );
}

/** The final shape in grey, after 200 ms so that fast answers never flicker. */
export function Skeleton({ height = 120, rows }: { height?: number; rows?: number }) {
  const { t } = useTranslation("app");
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={classes.skeleton} data-shown={shown || undefined} role="status" aria-label={t("loading")}>
      {rows === undefined ? (
        <div className={classes.block} style={{ height }} />
      ) : (
        Array.from({ length: rows }, (_, index) => <div key={index} className={classes.bar} />)
      )}
    </div>
  );
}

/** Data older than two intervals is unknown, not broken. */
export function StaleTag({ since }: { since: string }) {
  const { t } = useTranslation("app");
  const format = useFormat();
  return <Status kind="no-data">{t("stale", { time: format.clock(since) })}</Status>;
}
