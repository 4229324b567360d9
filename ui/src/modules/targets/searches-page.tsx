import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { FormModal } from "@/components/form/form-modal";
import { PageHeader } from "@/components/layout/page-header";
import { viewState } from "@/components/state/states";
import { searchesQuery } from "./api";
import { SearchForm } from "./search-form";
import { SearchesView } from "./searches-view";

/** Fetches and decides; the view only draws. */
export default function SearchesPage() {
  const { t } = useTranslation("targets");
  const navigate = useNavigate();
  const list = useInfiniteQuery(searchesQuery);
  const block = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const [open, setOpen] = useState(false);
  const act = (
    <Action kind="filled" icon={IconSearch} reason={block} onClick={() => setOpen(true)}>
      {t("search")}
    </Action>
  );
  return (
    <>
      <PageHeader title={t("title")} meta={t("lead")} closed={block} actions={act} />
      <SearchesView
        state={viewState(list)}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
        onOpen={({ id }) => void navigate({ to: `/targets/${id}` })}
      />
      <FormModal opened={open} onClose={() => setOpen(false)} title={t("form.title")} size="lg">
        {open && <SearchForm onStarted={({ id }) => void navigate({ to: `/targets/${id}` })} />}
      </FormModal>
    </>
  );
}
