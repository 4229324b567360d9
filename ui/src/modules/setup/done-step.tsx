import { useNavigate } from "@tanstack/react-router";
import { IconArrowLeft } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { ProblemNote } from "@/components/state/problem-view";
import { SetupBody, SetupFoot } from "@/components/layout/setup-frame";
import type { SetupStepProps } from "@/module";
import { useFinishSetup } from "./api";
import { forgetResults } from "./progress";
import classes from "./setup.module.css";

export default function DoneStep({ onBack, readOnly }: SetupStepProps) {
  const { t } = useTranslation("setup");
  const navigate = useNavigate();
  const finish = useFinishSetup();
  const leave = () => {
    forgetResults();
    void navigate({ to: "/" });
  };
  const run = () =>
    finish.mutate(undefined, { onSuccess: leave, onError: (error) => isProblem(error, "setup_closed") && leave() });
  return (
    <SetupBody title={t("done.title")} lead={readOnly ? t("done.leadReadOnly") : t("done.lead")}>
      <ul className={classes.after}>
        <li>{t("done.closes")}</li>
        <li>{t("done.later")}</li>
        <li>
          {t("done.reset")} <code>sudo panelctl admin reset-password</code>
        </li>
      </ul>
      {finish.error && !isProblem(finish.error, "setup_closed") && <ProblemNote error={finish.error} />}
      <SetupFoot
        back={
          onBack && (
            <Action kind="ghost" size="dialog" icon={IconArrowLeft} onClick={onBack}>
              {t("back")}
            </Action>
          )
        }
      >
        <Action kind="filled" size="dialog" busy={finish.isPending} onClick={run}>
          {t("done.submit")}
        </Action>
      </SetupFoot>
    </SetupBody>
  );
}
