import { useInfiniteQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { z } from "zod";
import { IconPlus } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess, useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { useSearchState } from "@/components/screen/use-search";
import { DomainsHeader } from "../header";
import { listState } from "../shared/pages";
import { bindingsQuery } from "./api";
import { BindDialog } from "./bind-dialog";
import { BindingDrawer } from "./binding-drawer";
import { BindingsView } from "./bindings-view";

const search = z.object({
  q: z.string().optional().catch(undefined),
  sort: z.enum(["hostname", "-hostname", "created_at", "-created_at"]).optional().catch(undefined),
  open: z.string().optional().catch(undefined),
});

/** Who may not read nodes but certificates begins with those. */
export default function BindingsPage() {
  const { can } = useAccess();
  return can("nodes.view") ? <Bindings /> : <Navigate to="/domains/certificates" replace />;
}

function Bindings() {
  const { t } = useTranslation("cdn-dns");
  const [{ q, sort, open }, setSearch] = useSearchState(search);
  const [binding, setBinding] = useState(false);
  const [bound, setBound] = useState<string>();
  // Only once the dialog is gone, which would ask whether what was typed may be lost.
  useEffect(() => {
    if (bound !== undefined) setSearch({ open: bound });
  }, [bound, setSearch]);
  const block = useWriteBlock({ needs: "nodes.edit" });
  const list = useInfiniteQuery(bindingsQuery({ sort: sort ?? "hostname", ...(q && { q }) }));
  return (
    <>
      <DomainsHeader
        current="bindings"
        closed={block}
        actions={
          <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setBinding(true)}>
            {t("bind.act")}
          </Action>
        }
      />
      <BindingsView
        state={listState(list)}
        filter={{ value: q ?? "", onChange: (next) => setSearch({ q: next || undefined }) }}
        sorting={{ value: sort ?? "hostname", onChange: (next) => setSearch({ sort: next as typeof sort }) }}
        onOpen={({ id }) => setSearch({ open: id })}
      />
      {binding && (
        <BindDialog
          onClose={() => setBinding(false)}
          onBound={({ id }) => {
            setBinding(false);
            setBound(id);
          }}
        />
      )}
      <BindingDrawer id={open} onClose={() => setSearch({ open: undefined })} />
    </>
  );
}
