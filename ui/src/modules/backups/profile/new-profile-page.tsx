import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action, ActionLink } from "@/components/action/action";
import { PageHeader } from "@/components/layout/page-header";
import { toastDone } from "@/components/state/toast";
import { useAddProfile } from "../shared/api";
import { useBlock } from "../shared/block";
import { draftOf, newOf } from "./profile-draft";
import { ProfileForm } from "./profile-form";

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A new profile. Its name is enough: everything else has a default. */
export default function NewProfilePage() {
  const { t } = useTranslation("backups");
  const navigate = useNavigate();
  const block = useBlock();
  const add = useAddProfile();
  const [start] = useState(() => draftOf(undefined, ownZone()));
  return (
    <ProfileForm
      start={start}
      block={block}
      error={add.error}
      saved={add.isPending || add.isSuccess}
      onSubmit={(draft) =>
        add.mutate(newOf(draft), {
          onSuccess: ({ name }) => {
            toastDone(t("profile.added", { name }));
            void navigate({ to: "/backups", ignoreBlocker: true });
          },
        })
      }
      head={() => (
        <PageHeader
          title={t("profile.newTitle")}
          meta={t("profile.newLead")}
          closed={block}
          actions={
            <>
              <ActionLink to="/backups">{t("cancel")}</ActionLink>
              <Action kind="filled" type="submit" busy={add.isPending} reason={block}>
                {t("profile.add")}
              </Action>
            </>
          }
        />
      )}
    />
  );
}
