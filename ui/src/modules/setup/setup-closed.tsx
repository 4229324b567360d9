import { IconCircleCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ActionLink } from "@/components/action/action";
import { EmptyState } from "@/components/state/states";

export function SetupClosed() {
  const { t } = useTranslation("setup");
  return (
    <EmptyState
      icon={IconCircleCheck}
      title={t("closed.title")}
      act={
        <ActionLink to="/login" kind="filled" size="dialog">
          {t("closed.act")}
        </ActionLink>
      }
    >
      {t("closed.text")}
    </EmptyState>
  );
}
