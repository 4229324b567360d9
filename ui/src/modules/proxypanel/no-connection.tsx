import { useQuery } from "@tanstack/react-query";
import { IconPlugConnected } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { setupStateQuery } from "@/api/setup";
import { Action } from "@/components/action/action";
import { EmptyState } from "@/components/state/states";
import classes from "./proxypanel.module.css";

/** What a connection is for. A fresh proxy panel can be set up only until the first installation is finished. */
export function NoConnection({ add, onFresh }: { add: ReactNode; onFresh: () => void }) {
  const { t } = useTranslation("proxypanel");
  const unfinished = useQuery(setupStateQuery).data?.finished === false;
  const block = useWriteBlock({ needs: "settings.manage", whileReadOnly: true });
  return (
    <EmptyState
      icon={IconPlugConnected}
      title={t("empty.title")}
      act={
        <span className={classes.acts}>
          {add}
          {unfinished && (
            <Action reason={block} onClick={onFresh}>
              {t("fresh.act")}
            </Action>
          )}
        </span>
      }
    >
      {t("empty.text")}
    </EmptyState>
  );
}
