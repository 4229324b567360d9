import { IconArrowLeft } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { SetupBody, SetupFoot } from "@/components/layout/setup-frame";
import type { SetupStepProps } from "@/module";
import type { Made } from "./api";
import { ImportFlows } from "./import-flows";

/** Bring what you have: the flows and clients of another program become drafts, or later. */
export default function ImportsSetupStep({ onDone, onBack }: SetupStepProps) {
  const { t } = useTranslation("imports");
  const [made, setMade] = useState<Made[]>();
  return (
    <SetupBody title={t("setup.title")} lead={t("setup.lead")}>
      <ImportFlows onTaken={setMade} />
      <SetupFoot
        back={
          onBack && (
            <Action kind="ghost" size="dialog" icon={IconArrowLeft} onClick={onBack}>
              {t("setup.back")}
            </Action>
          )
        }
      >
        {made ? (
          <Action kind="filled" size="dialog" onClick={() => onDone(t("done.title", { count: made.length }))}>
            {t("setup.continue")}
          </Action>
        ) : (
          <Action size="dialog" onClick={() => onDone(t("setup.skipped"), true)}>
            {t("setup.skip")}
          </Action>
        )}
      </SetupFoot>
    </SetupBody>
  );
}
