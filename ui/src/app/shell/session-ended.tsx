import { Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSession } from "@/api/session";
import { SignInForm } from "@/modules/accounts/sign-in-form";

/** Asks to sign in again over the open page, which keeps what was typed. */
export function SessionEnded() {
  const { t } = useTranslation("app");
  const { ended } = useSession();
  const queries = useQueryClient();
  return (
    <Modal opened={ended} onClose={() => undefined} withCloseButton={false} closeOnEscape={false} closeOnClickOutside={false} title={t("ended.title")}>
      <p className="soft">{t("ended.text")}</p>
      <SignInForm onSignedIn={() => void queries.invalidateQueries()} />
    </Modal>
  );
}
