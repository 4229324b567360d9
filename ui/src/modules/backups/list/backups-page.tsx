import { useInfiniteQuery, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { Action, ActionLink } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { Stack } from "@/components/layout/columns";
import { PageHeader } from "@/components/layout/page-header";
import { useSearchState } from "@/components/screen/use-search";
import { viewState, type ViewState } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import {
  goesOn,
  lastRunQuery,
  profilesQuery,
  restoresQuery,
  runsQuery,
  useChangeProfile,
  useRemoveProfile,
  type LastRuns,
  type Profile,
  type Run,
} from "../shared/api";
import { useBlock } from "../shared/block";
import { FiguresCard } from "./figures-card";
import { RestoredCard } from "./restored-card";
import { ProfilesView } from "./profiles-view";
import { RunsView } from "./runs-view";
import { SizesCard } from "./sizes-card";

/** What the address of the page says. */
export const backupsSearch = z.object({ profile: z.coerce.string().max(64).optional().catch(undefined) });

export default function BackupsPage() {
  const { t } = useTranslation("backups");
  const [{ profile }, setSearch] = useSearchState(backupsSearch);
  const block = useBlock();
  const profiles = useQuery(profilesQuery);
  const last = useLastRuns(profiles.data);
  const restores = useQuery(restoresQuery);
  const [removing, setRemoving] = useState<Profile>();
  const pause = useChangeProfile();
  const some = (profiles.data?.length ?? 0) > 0;
  return (
    <>
      <PageHeader title={t("title")} meta={t("lead")} closed={block} actions={some && <AddProfile block={block} />} />
      <Stack>
        {profiles.data && some && (
          <FiguresCard profiles={profiles.data} last={last} restores={restores.data} restoresError={restores.error} />
        )}
        {restores.data && <RestoredCard restores={restores.data} />}
        <ProfilesView
          state={viewState(profiles)}
          last={last}
          block={block}
          add={<AddProfile block={block} />}
          onPause={(one) => pause.mutate({ id: one.id, revision: one.revision, enabled: !one.enabled })}
          onRemove={setRemoving}
        />
        {profiles.data && (some || profile !== undefined) && (
          <SizesCard profiles={profiles.data} chosen={profile} onChoose={(chosen) => setSearch({ profile: chosen })} />
        )}
        {some && (
          <Runs
            profiles={profiles.data ?? []}
            chosen={profile}
            onChoose={(chosen) => setSearch({ profile: chosen })}
            last={last}
          />
        )}
      </Stack>
      {removing && <Remove profile={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

function AddProfile({ block }: { block: string | undefined }) {
  const { t } = useTranslation("backups");
  if (block !== undefined)
    return (
      <Action kind="filled" icon={IconPlus} reason={block}>
        {t("profiles.add")}
      </Action>
    );
  return (
    <ActionLink kind="filled" icon={IconPlus} to="/backups/profiles/new">
      {t("profiles.add")}
    </ActionLink>
  );
}

function useLastRuns(profiles: readonly Profile[] | undefined): LastRuns {
  const answers = useQueries({ queries: (profiles ?? []).map(({ id }) => lastRunQuery(id)) });
  return new Map(
    (profiles ?? []).flatMap(({ id }, at) => {
      const run = answers[at]?.data;
      return run === undefined ? [] : [[id, run] as const];
    }),
  );
}

interface RunsProps {
  profiles: readonly Profile[];
  chosen: string | undefined;
  onChoose: (profile: string | undefined) => void;
  last: LastRuns;
}

function Runs({ profiles, chosen, onChoose, last }: RunsProps) {
  const queries = useQueryClient();
  const list = useInfiniteQuery(runsQuery(chosen));
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.items), [list.data]);
  // A run that somebody else or the schedule has begun is known by its progress first.
  const active = [...last.values()].flatMap((run) => (run && goesOn(run.state) ? [run.id] : [])).join();
  useEffect(() => {
    if (active) void queries.invalidateQueries({ queryKey: ["backups", "runs", "list"] });
  }, [active, queries]);
  const state: ViewState<Run[]> = rows
    ? { kind: "ready", data: rows }
    : list.error
      ? { kind: "error", error: list.error, retry: () => void list.refetch() }
      : { kind: "loading" };
  return (
    <RunsView
      state={state}
      total={list.data?.pages.at(-1)?.total ?? 0}
      profiles={profiles}
      chosen={chosen}
      onChoose={onChoose}
      more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
    />
  );
}

function Remove({ profile, onClose }: { profile: Profile; onClose: () => void }) {
  const { t } = useTranslation("backups");
  const remove = useRemoveProfile();
  const done = () => {
    toastDone(t("profiles.removed", { name: profile.name }));
    onClose();
  };
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t("profiles.removeTitle", { name: profile.name })}
      consequences={[t("profiles.removeStops"), t("profiles.removeRecords"), t("profiles.removeKeeps")]}
      verb={t("profiles.remove")}
      typed={profile.name}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(profile.id, { onSuccess: done })}
    />
  );
}
