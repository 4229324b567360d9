import { useInfiniteQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { z } from "zod";
import { useAccess } from "@/api/access";
import { useSearchState } from "@/components/screen/use-search";
import { DomainsHeader } from "../header";
import { listState } from "../shared/pages";
import { bindingsQuery } from "./api";
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
  const [{ q, sort, open }, setSearch] = useSearchState(search);
  const list = useInfiniteQuery(bindingsQuery({ sort: sort ?? "hostname", ...(q && { q }) }));
  return (
    <>
      <DomainsHeader current="bindings" />
      <BindingsView
        state={listState(list)}
        filter={{ value: q ?? "", onChange: (next) => setSearch({ q: next || undefined }) }}
        sorting={{ value: sort ?? "hostname", onChange: (next) => setSearch({ sort: next as typeof sort }) }}
        onOpen={({ id }) => setSearch({ open: id })}
      />
      <BindingDrawer id={open} onClose={() => setSearch({ open: undefined })} />
    </>
  );
}
