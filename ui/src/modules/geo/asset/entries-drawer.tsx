import { Drawer } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { ProblemNote } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { Tag } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import { entriesQuery, type Asset } from "../api";
import classes from "../geo.module.css";
import { SearchField } from "./search-field";

interface EntriesDrawerProps {
  asset: Asset;
  category: string;
  /** What is searched for within it at first. */
  within: string;
  onClose: () => void;
}

/** What a category holds. */
export function EntriesDrawer({ asset, category, within, onClose }: EntriesDrawerProps) {
  const { t } = useTranslation("geo");
  const [q, setQ] = useState(within);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="md"
      title={t("category.title", { category, name: asset.name })}
      closeButtonProps={{ "aria-label": t("close") }}
    >
      <div className={classes.stack}>
        <SearchField label={t("category.within")} q={q} onFind={setQ} />
        <Entries id={asset.id} category={category} q={q} />
      </div>
    </Drawer>
  );
}

function Entries({ id, category, q }: { id: string; category: string; q: string }) {
  const { t } = useTranslation("geo");
  const format = useFormat();
  const list = useInfiniteQuery(entriesQuery(id, category, q));
  const state = viewState(list);
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error") return <ProblemNote error={state.error} />;
  const { items, total } = state.data;
  return (
    <>
      <p className="soft num">{t("entries", { count: total, shown: format.number(total) })}</p>
      <ul className={classes.entries} aria-label={category}>
        {items.map((entry) => (
          <li key={`${entry.kind} ${entry.value}`}>
            <span className={classes.kind}>{t(`rule.${entry.kind}`)}</span>
            <span className="mono">{entry.value}</span>
            {entry.attributes.map((attribute) => (
              <Tag key={attribute}>@{attribute}</Tag>
            ))}
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Action busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t("showMore")}
        </Action>
      )}
    </>
  );
}
