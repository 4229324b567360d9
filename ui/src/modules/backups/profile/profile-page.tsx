import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { isProblem } from "@/api/problem";
import { Action, ActionLink } from "@/components/action/action";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import { useScheduleWords } from "../shared/words";
import { profileQuery, useChangeProfile, type Profile } from "../shared/api";
import { useBlock } from "../shared/block";
import { changeOf, draftOf } from "./profile-draft";
import { ProfileForm } from "./profile-form";

export default function ProfilePage() {
  const { t } = useTranslation("backups");
  const { id = "" } = useParams({ strict: false });
  const read = useQuery(profileQuery(id));
  // What is being changed stays as it was taken, whatever the stream brings meanwhile.
  const [taken, setTaken] = useState<Profile>();
  if (!taken && read.data) setTaken(read.data);
  const takeNewer = () => void read.refetch().then(({ data }) => data && setTaken(data));
  if (taken)
    return <Edit key={taken.revision} profile={taken} onSaved={setTaken} onNewer={takeNewer} busy={read.isFetching} />;
  if (read.error)
    return <ProblemView error={read.error} tried={t("profile.loadFailed")} onRetry={() => void read.refetch()} />;
  return <Skeleton rows={10} />;
}

interface EditProps {
  profile: Profile;
  onSaved: (saved: Profile) => void;
  /** Takes what somebody else has saved meanwhile. */
  onNewer: () => void;
  busy: boolean;
}

function Edit({ profile, onSaved, onNewer, busy }: EditProps) {
  const { t } = useTranslation("backups");
  const words = useScheduleWords();
  const block = useBlock();
  const change = useChangeProfile();
  const start = useMemo(() => draftOf(profile), [profile]);
  const conflict = isProblem(change.error, "revision_conflict");
  return (
    <ProfileForm
      start={start}
      block={block}
      error={change.error}
      saved={change.isPending || change.isSuccess}
      note={
        conflict && (
          <Action onClick={onNewer} busy={busy}>
            {t("profile.newer")}
          </Action>
        )
      }
      onSubmit={(draft) =>
        change.mutate(changeOf(draft, profile), {
          onSuccess: (saved) => {
            toastDone(t("profile.changed", { name: saved.name }));
            onSaved(saved);
          },
        })
      }
      head={(dirty) => (
        <PageHeader
          title={profile.name}
          meta={words(profile.schedule.cron ?? "")}
          closed={block}
          actions={
            <>
              <ActionLink to="/backups">{t(dirty ? "cancel" : "back")}</ActionLink>
              <Action
                kind="filled"
                type="submit"
                busy={change.isPending}
                reason={block ?? (dirty ? undefined : t("profile.unchanged"))}
              >
                {t("save")}
              </Action>
            </>
          }
        />
      )}
    />
  );
}
