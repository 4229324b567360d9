import { IconArrowLeft } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { ProblemNote } from "@/components/state/problem-view";
import { RelativeTime } from "@/components/text/relative-time";
import { useLanguage } from "@/text/use-format";
import { useHelper, type Helper } from "../api";
import classes from "../sheet/sheet.module.css";
import { HelperSteps, type HelperActs } from "./helper-steps";

/** Setting up notifications, step by step. One person of the whole panel does it at a time. */
export function HelperView({ held, readOnly, onBack }: { held: Helper | null; readOnly: boolean; onBack: () => void }) {
  const { t } = useTranslation("assistant");
  const helper = useHelper();
  return (
    <div className={classes.talk}>
      <Action kind="ghost" size="bar" icon={IconArrowLeft} onClick={onBack} className={classes.back}>
        {t("helper.back")}
      </Action>
      <h3 className={classes.subtitle}>{t("helper.title")}</h3>
      {held === null && <Begin helper={helper} readOnly={readOnly} />}
      {held !== null && !held.mine && <Busy held={held} helper={helper} />}
      {held?.mine && <HelperSteps held={held} helper={helper} />}
    </div>
  );
}

function Begin({ helper: { begin, end }, readOnly }: { helper: HelperActs; readOnly: boolean }) {
  const { t } = useTranslation("assistant");
  const language = useLanguage();
  const block = useWriteBlock({ feature: "assistant" });
  // Somebody may have begun meanwhile: the refusal says who, and the state that is read anew shows it.
  const refused = isProblem(begin.error, "assistant_busy") ? null : begin.error;
  return (
    <>
      <p className="soft">{t("helper.lead")}</p>
      <p className="soft">{t("helper.alone")}</p>
      {refused !== null && <ProblemNote error={refused} />}
      {end.isSuccess && <p role="status">{t("helper.ended")}</p>}
      <div className={classes.acts}>
        <Action
          kind="filled"
          busy={begin.isPending}
          reason={readOnly ? t("readOnly") : block}
          onClick={() => begin.mutate(language)}
        >
          {t("helper.begin")}
        </Action>
      </div>
    </>
  );
}

function Busy({ held, helper: { end } }: { held: Helper; helper: HelperActs }) {
  const { t } = useTranslation("assistant");
  return (
    <div role="status">
      <p className="strong">{t("helper.busy", { name: held.holder.name })}</p>
      <p className="soft">
        {t("helper.since")} <RelativeTime at={held.since} />
      </p>
      <p className="soft">
        {t("helper.idle")} <RelativeTime at={held.idle_at} />
      </p>
      {end.error !== null && <ProblemNote error={end.error} />}
      <div className={classes.acts}>
        <Action kind="danger" busy={end.isPending} onClick={() => end.mutate(held.id)}>
          {t("helper.takeOver", { name: held.holder.name })}
        </Action>
      </div>
    </div>
  );
}
