import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { toastDone } from "@/components/state/toast";
import { useChangePassword } from "./api";
import { PasswordView } from "./password-view";

export default function PasswordPage() {
  const { t } = useTranslation("security");
  const navigate = useNavigate();
  const change = useChangePassword();
  return (
    <PasswordView
      error={change.error}
      busy={change.isPending}
      onSubmit={(current, next) =>
        change.mutate(
          { current_password: current, new_password: next },
          {
            onSuccess: () => {
              toastDone(t("password.done"), t("password.doneText"));
              void navigate({ to: "/account/sessions" });
            },
          },
        )
      }
    />
  );
}
