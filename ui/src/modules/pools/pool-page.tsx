import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Confirm } from "@/components/dialog/confirm";
import { usePageTitle } from "@/components/layout/page-title";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { poolQuery, statusQuery, useRemovePool, type Member } from "./api";
import { DrainDialog, OverrideDialog } from "./member-acts";
import { PoolDialog } from "./pool-dialog";
import { PoolView } from "./pool-view";

type Open = "edit" | "remove" | { act: "override" | "drain"; member: Member };

/** The page of one pool. */
export default function PoolPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { t } = useTranslation("pools");
  const navigate = useNavigate();
  const state = viewState(useQuery(poolQuery(id)));
  const status = useQuery(statusQuery(id)).data;
  const edit = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const apply = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const remove = useRemovePool();
  const [open, setOpen] = useState<Open>();
  const close = () => {
    setOpen(undefined);
    remove.reset();
  };
  usePageTitle(state.kind === "ready" ? state.data.name : undefined);
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} onRetry={state.retry} tried={t("page.loadFailed")} />;
  const pool = state.data;
  return (
    <>
      <PoolView
        pool={pool}
        status={status}
        block={{ edit, apply }}
        onEdit={() => setOpen("edit")}
        onRemove={() => setOpen("remove")}
        onAct={(act, member) => setOpen({ act, member })}
      />
      {open === "edit" && <PoolDialog pool={pool} onClose={close} />}
      <Confirm
        opened={open === "remove"}
        onClose={close}
        onConfirm={() => remove.mutate(id, { onSuccess: () => void navigate({ to: "/pools" } as never) })}
        title={t("remove.title", { name: pool.name })}
        verb={t("remove.verb")}
        busy={remove.isPending}
        error={remove.error}
      >
        {t("remove.text")}
      </Confirm>
      {typeof open === "object" && open.act === "override" && (
        <OverrideDialog pool={pool} member={open.member} onClose={close} />
      )}
      {typeof open === "object" && open.act === "drain" && (
        <DrainDialog pool={pool} member={open.member} onClose={close} />
      )}
    </>
  );
}
