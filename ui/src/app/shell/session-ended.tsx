import { Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { meQuery } from "@/api/access";
import { endSession, useSession } from "@/api/session";
import { WhenOpened } from "@/components/dialog/when-opened";
import { Action } from "@/components/action/action";
import { SignInForm } from "@/modules/accounts/sign-in/sign-in-form";
import classes from "./session-ended.module.css";

/** Asks to sign in again over the open page, which keeps what was typed. */
export function SessionEnded() {
  const { t } = useTranslation("app");
  const { ended } = useSession();
  const queries = useQueryClient();
  // Whoever signs in here goes on with what is on the page, so it must be the one who typed it.
  const username = queries.getQueryData(meQuery.queryKey)?.account.username;
  const leaveToSignIn = () => {
    endSession();
    window.location.assign("/login");
  };
  return (
    <WhenOpened opened={ended}>
      {(opened) => (
        <Modal
          opened={opened}
          onClose={() => undefined}
          withCloseButton={false}
          closeOnEscape={false}
          closeOnClickOutside={false}
          title={t("ended.title")}
        >
          <p className={classes.text}>{t("ended.text")}</p>
          <SignInForm username={username} onSignedIn={() => void queries.invalidateQueries()} />
          {username !== undefined && (
            <p className={classes.other}>
              {t("ended.other", { username })}{" "}
              <Action kind="link" onClick={leaveToSignIn}>
                {t("ended.leave")}
              </Action>
            </p>
          )}
        </Modal>
      )}
    </WhenOpened>
  );
}
