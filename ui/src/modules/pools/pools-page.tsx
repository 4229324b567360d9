import { useInfiniteQuery } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { PageHeader } from "@/components/layout/page-header";
import { useSearchState } from "@/components/screen/use-search";
import { viewState } from "@/components/state/states";
import { poolsQuery } from "./api";
import { PoolDialog } from "./pool-dialog";
import { PoolsView } from "./pools-view";

const search = z.object({ sort: z.enum(["name", "-name", "created_at", "-created_at"]).optional().catch(undefined) });

/** All transit pools. */
export default function PoolsPage() {
  const { t } = useTranslation("pools");
  const navigate = useNavigate();
  const [place, setPlace] = useSearchState(search);
  const sort = place.sort ?? "name";
  const list = useInfiniteQuery(poolsQuery(sort));
  const block = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const [open, setOpen] = useState(false);
  const add = (
    <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setOpen(true)}>
      {t("add")}
    </Action>
  );
  return (
    <>
      <PageHeader title={t("title")} meta={t("lead")} closed={block} actions={add} />
      <PoolsView
        state={viewState(list)}
        onAdd={block ? undefined : () => setOpen(true)}
        sorting={{ value: sort, onChange: (value) => setPlace(search.parse({ sort: value })) }}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
      />
      {open && (
        <PoolDialog
          onClose={() => setOpen(false)}
          onMade={(id) => void navigate({ to: "/pools/$id", params: { id } } as never)}
        />
      )}
    </>
  );
}
