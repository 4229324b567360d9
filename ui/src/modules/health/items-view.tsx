import { Menu, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RowMenu } from "@/components/action/row-menu";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { ProblemView } from "@/components/state/problem-view";
import { DataTable, type Column, type Sorting } from "@/components/table/data-table";
import { NameCell } from "@/components/table/name-cell";
import { RelativeTime } from "@/components/text/relative-time";
import type { Item, Listed } from "./api";

interface ItemsViewProps {
  state: ViewState<Listed>;
  sorting: Sorting;
  more: { load: () => void; busy: boolean } | undefined;
  /** Why nothing may be changed. */
  block: string | undefined;
  onEdit: (item: Item) => void;
  onRemove: (item: Item) => void;
}

export function ItemsView({ state, sorting, more, block, onEdit, onRemove }: ItemsViewProps) {
  const { t } = useTranslation("health");
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  const columns: Column<Item>[] = [
    {
      key: "name",
      head: t("columns.name"),
      sort: "name",
      cell: (item) => <NameCell title={item.name}>{item.name}</NameCell>,
    },
    {
      key: "comment",
      head: t("columns.comment"),
      width: 360,
      drop: 1,
      cell: (item) => (
        <span className="soft" title={item.comment}>
          {item.comment}
        </span>
      ),
    },
    { key: "seen", head: t("columns.seen"), width: 140, drop: 2, cell: (item) => <Seen item={item} /> },
    {
      key: "created",
      head: t("columns.created"),
      sort: "created_at",
      width: 140,
      drop: 3,
      cell: (item) => <RelativeTime at={item.created_at} />,
    },
  ];
  return (
    <DataTable
      label={t("title")}
      rows={state.data.items}
      total={state.data.total}
      columns={columns}
      rowId={(item) => item.id}
      rowName={(item) => item.name}
      sorting={sorting}
      onMore={more?.load}
      loadingMore={more?.busy}
      menu={(item) => (
        <RowMenu name={item.name}>
          <Menu.Item disabled={block !== undefined} onClick={() => onEdit(item)}>
            {t("edit")}
          </Menu.Item>
          <Menu.Item data-danger disabled={block !== undefined} onClick={() => onRemove(item)}>
            {t("remove.act")}
          </Menu.Item>
        </RowMenu>
      )}
      phone={(item) => (
        <>
          <p className="strong">{item.name}</p>
          <Text component="p" lineClamp={2} className="dim">
            {item.comment || <Seen item={item} />}
          </Text>
        </>
      )}
      empty={<EmptyState title={t("empty.title")}>{t("empty.text")}</EmptyState>}
    />
  );
}

function Seen({ item }: { item: Item }) {
  const { t } = useTranslation("health");
  return item.seen_at ? <RelativeTime at={item.seen_at} /> : <span className="dim">{t("never")}</span>;
}
