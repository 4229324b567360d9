import { useQuery } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { connectionsQuery, type Connection } from "./api";
import { ConnectionCard } from "./connection-card";
import { ConnectionDialog } from "./connection-dialog";
import { FreshDialog } from "./fresh/fresh-dialog";
import { NoConnection } from "./no-connection";
import classes from "./proxypanel.module.css";
import { RemoveDialog } from "./remove-dialog";

/** All connections with external proxy panels. */
export default function ProxypanelPage() {
  const { t } = useTranslation("proxypanel");
  const state = viewState(useQuery(connectionsQuery));
  const block = useWriteBlock({ needs: "proxypanel.manage", feature: "proxypanel" });
  const [editing, setEditing] = useState<Connection | "new">();
  const [removing, setRemoving] = useState<Connection>();
  const [fresh, setFresh] = useState(false);
  const add = (
    <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setEditing("new")}>
      {t("connect")}
    </Action>
  );
  const none = state.kind === "ready" && state.data.length === 0;
  return (
    <>
      <PageHeader title={t("title")} meta={t("lead")} closed={block} actions={!none && add} />
      {state.kind === "loading" && <Skeleton rows={4} />}
      {state.kind === "error" && <ProblemView error={state.error} tried={t("loadFailed")} onRetry={state.retry} />}
      {none && <NoConnection add={add} onFresh={() => setFresh(true)} />}
      {state.kind === "ready" && !none && (
        <div className={classes.list}>
          {state.data.map((one) => (
            <ConnectionCard key={one.id} connection={one} block={block} onEdit={setEditing} onRemove={setRemoving} />
          ))}
        </div>
      )}
      {editing && (
        <ConnectionDialog connection={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
      {removing && <RemoveDialog connection={removing} onClose={() => setRemoving(undefined)} />}
      {fresh && <FreshDialog onClose={() => setFresh(false)} />}
    </>
  );
}
