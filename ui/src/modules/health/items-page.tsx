import { useInfiniteQuery } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { PageHeader } from "@/components/layout/page-header";
import { useSearchState } from "@/components/screen/use-search";
import { viewState } from "@/components/state/states";
import { itemsQuery, useRemoveItem, type Item } from "./api";
import { ItemDialog } from "./item-dialog";
import { ItemsView } from "./items-view";

const search = z.object({ sort: z.enum(["name", "-name", "created_at", "-created_at"]).optional().catch(undefined) });

/** Fetches and decides; the view only draws. */
export default function ItemsPage() {
  const { t } = useTranslation("health");
  const [place, setPlace] = useSearchState(search);
  const sort = place.sort ?? "name";
  const list = useInfiniteQuery(itemsQuery(sort));
  const block = useWriteBlock({ needs: "health.manage", feature: "health" });
  const remove = useRemoveItem();
  const [open, setOpen] = useState<Item | "new">();
  const [leaving, setLeaving] = useState<Item>();
  const stay = () => {
    setLeaving(undefined);
    remove.reset();
  };
  const add = (
    <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setOpen("new")}>
      {t("add")}
    </Action>
  );
  return (
    <>
      <PageHeader title={t("title")} meta={t("lead")} closed={block} actions={add} />
      <ItemsView
        state={viewState(list)}
        sorting={{ value: sort, onChange: (value) => setPlace(search.parse({ sort: value })) }}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
        block={block}
        onEdit={setOpen}
        onRemove={setLeaving}
      />
      <ItemDialog item={open} onClose={() => setOpen(undefined)} />
      <Confirm
        opened={leaving !== undefined}
        onClose={stay}
        onConfirm={() => leaving && remove.mutate(leaving.id, { onSuccess: stay })}
        title={t("remove.title", { name: leaving?.name ?? "" })}
        verb={t("remove.verb")}
        busy={remove.isPending}
        error={remove.error}
      >
        {t("remove.text")}
      </Confirm>
    </>
  );
}
