import { IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { ProblemNote } from "@/components/state/problem-view";
import { toastDone } from "@/components/state/toast";
import { Tag } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import { useBlock } from "../header";
import { useLookNow, type Kind, type SubjectDetail } from "../shared/api";
import { HealthState } from "../shared/states";
import { hintText, Looked, reasonText } from "../shared/verdict";
import classes from "./subject.module.css";

/** The verdict in words: state, since when, why, and what the cause may be. */
export function VerdictCard({ kind, subject }: { kind: Kind; subject: SubjectDetail }) {
  const { t } = useTranslation("health");
  const block = useBlock();
  const look = useLookNow(kind, subject.id);
  const [reason, hint] = [reasonText(t, subject), hintText(t, subject)];
  return (
    <Card
      label={t("verdict")}
      title={
        <span className={classes.verdict}>
          <HealthState state={subject.state} />
          <span className="soft">
            {t("lasts")} <RelativeTime at={subject.since} bare />
          </span>
          {subject.maintenance && <Tag>{t("state.maintenance")}</Tag>}
          {subject.flapping && <Tag>{t("flapping")}</Tag>}
        </span>
      }
      right={
        <>
          <Looked at={subject.checked_at} />
          <Action
            size="bar"
            icon={IconRefresh}
            reason={block}
            busy={look.isPending}
            onClick={() =>
              look.mutate(undefined, {
                onSuccess: ({ checks, vantages }) =>
                  toastDone(
                    t("lookNow.done"),
                    t("lookNow.doneText", { count: checks, places: t("places", { count: vantages }) }),
                  ),
              })
            }
          >
            {t("lookNow.act")}
          </Action>
        </>
      }
    >
      <p className={classes.sentence}>{reason ? `${reason}.` : t("allWell")}</p>
      {hint && <p className="soft">{t("likely", { hint })}</p>}
      {subject.flapping && <p className="soft">{t("flappingText")}</p>}
      {subject.maintenance && <p className="soft">{t("maintenanceText")}</p>}
      {look.error && <ProblemNote error={look.error} />}
    </Card>
  );
}
