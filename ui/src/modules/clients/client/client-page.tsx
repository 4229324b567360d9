import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess, useWriteBlock } from "@/api/access";
import { usePageTitle } from "@/components/layout/page-title";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { ClientActDialog } from "../acts/client-act-dialog";
import type { ClientAct } from "../acts/effects";
import { AddressDialog, CloseAddressDialog } from "../address-dialog";
import { clientQuery, ownerQuery } from "../api";
import { ClientDialog } from "../client-dialog";
import { ClientView } from "./client-view";

type Open = "edit" | "address" | "closeAddress" | { act: ClientAct };

/** The page of one client. */
export default function ClientPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { t } = useTranslation("clients");
  const state = viewState(useQuery(clientQuery(id)));
  const client = state.kind === "ready" ? state.data : undefined;
  const block = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const owner = useOwner(client?.owner_id);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  usePageTitle(client?.label);
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} onRetry={state.retry} tried={t("page.loadFailed")} />;
  return (
    <>
      <ClientView
        client={state.data}
        owner={owner}
        block={block}
        onEdit={() => setOpen("edit")}
        onAct={(act) => setOpen({ act })}
        onAddress={() => setOpen("address")}
        onCloseAddress={() => setOpen("closeAddress")}
      />
      <ClientDialog client={open === "edit" ? state.data : undefined} onClose={close} />
      {open === "address" && <AddressDialog client={state.data} onClose={close} />}
      {open === "closeAddress" && <CloseAddressDialog client={state.data} onClose={close} />}
      {typeof open === "object" && <ClientActDialog act={open.act} clients={[state.data]} onClose={close} />}
    </>
  );
}

/** The name of an account: one's own, or another's where accounts may be read. */
function useOwner(id: string | undefined): string | undefined {
  const { account, can } = useAccess();
  const own = account !== undefined && account.id === id;
  const other = useQuery({ ...ownerQuery(id ?? ""), enabled: id !== undefined && !own && can("accounts.view") });
  return own ? account.username : other.data;
}
