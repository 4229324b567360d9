import { Menu } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { Confirm } from "@/components/dialog/confirm";
import { Segmented } from "@/components/form/segmented";
import { useSearchState } from "@/components/screen/use-search";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import type { Column } from "@/components/table/data-table";
import { Listing } from "@/components/table/listing";
import { useTableLook } from "@/components/table/use-table-look";
import { useFormat } from "@/text/use-format";
import { maintenanceQuery, useEndMaintenance, useRemoveMaintenance, type Maintenance, type Page } from "../api";
import { StatusPageHeader, useBlock, useChosenPage } from "../shared/header";
import { localText } from "../shared/localised";
import { WorkStatus } from "../shared/states";
import classes from "../statuspage.module.css";
import { MaintenanceDialog } from "./maintenance-dialog";

/** Work that readers were told of before it begins. */
export default function MaintenancePage() {
  const { t } = useTranslation("statuspage");
  const block = useBlock();
  const chosen = useChosenPage();
  const [editing, setEditing] = useState<Maintenance | "new">();
  const page = chosen.kind === "ready" ? chosen.data.page : undefined;
  return (
    <>
      <StatusPageHeader
        current="maintenance"
        chosen={chosen.kind === "ready" ? chosen.data : undefined}
        actions={
          page && (
            <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setEditing("new")}>
              {t("works.add")}
            </Action>
          )
        }
      />
      {chosen.kind === "loading" && <Skeleton rows={6} />}
      {chosen.kind === "error" && <ProblemView error={chosen.error} tried={t("loadFailed")} onRetry={chosen.retry} />}
      {chosen.kind === "ready" && !page && <EmptyState title={t("none")}>{t("noneText")}</EmptyState>}
      {page && <Works page={page} block={block} onEdit={setEditing} />}
      {editing && page && (
        <MaintenanceDialog
          page={page}
          work={editing === "new" ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </>
  );
}

const search = z.object({ when: z.enum(["upcoming", "past"]).optional().catch(undefined) });

interface WorksProps {
  page: Page;
  block: string | undefined;
  onEdit: (work: Maintenance) => void;
}

function Works({ page, block, onEdit }: WorksProps) {
  const { t } = useTranslation("statuspage");
  const [place, change] = useSearchState(search);
  const when = place.when ?? "upcoming";
  const [act, setAct] = useState<{ act: "end" | "remove"; work: Maintenance }>();
  const nameOf = (work: Maintenance) => localText(work.titles, page.default_locale);
  return (
    <>
      <Listing
        label={t("tab.maintenance")}
        tried={t("works.loadFailed")}
        list={useInfiniteQuery(maintenanceQuery(page.id, when))}
        columns={useColumns(page)}
        look={useTableLook("statuspage-maintenance")}
        rowId={({ id }) => id}
        rowName={nameOf}
        rowHeight="two"
        bar={
          <Segmented
            label={t("works.views")}
            value={when}
            onChange={(next) => change({ when: next === "upcoming" ? undefined : next })}
            options={(["upcoming", "past"] as const).map((value) => ({ value, label: t(`works.view.${value}`) }))}
          />
        }
        empty={<EmptyState title={t(`works.none.${when}`)}>{t("works.noneText")}</EmptyState>}
        menu={(work) => (
          <RowMenu name={nameOf(work)}>
            <Menu.Item disabled={block !== undefined} title={block} onClick={() => onEdit(work)}>
              {t("works.change")}
            </Menu.Item>
            {work.state === "active" && (
              <Menu.Item disabled={block !== undefined} title={block} onClick={() => setAct({ act: "end", work })}>
                {t("works.end.menu")}
              </Menu.Item>
            )}
            <Menu.Divider />
            <Menu.Item
              color="red"
              disabled={block !== undefined}
              title={block}
              onClick={() => setAct({ act: "remove", work })}
            >
              {t("works.remove.menu")}
            </Menu.Item>
          </RowMenu>
        )}
        phone={(work) => (
          <>
            <span className="strong">{nameOf(work)}</span>
            <span className={classes.phone}>
              <WorkStatus state={work.state} /> <Window work={work} />
            </span>
          </>
        )}
      />
      {act && <WorkAct {...act} name={nameOf(act.work)} onClose={() => setAct(undefined)} />}
    </>
  );
}

interface WorkActProps {
  act: "end" | "remove";
  work: Maintenance;
  name: string;
  onClose: () => void;
}

function WorkAct({ act, work, name, onClose }: WorkActProps) {
  const { t } = useTranslation("statuspage");
  const end = useEndMaintenance();
  const remove = useRemoveMaintenance();
  const running = act === "end" ? end : remove;
  const run = () =>
    (act === "end" ? end : remove).mutate(work.id, {
      onSuccess: () => {
        toastDone(t(`works.${act}.done`), name);
        onClose();
      },
    });
  return (
    <Confirm
      opened
      danger={act === "remove"}
      onClose={onClose}
      onConfirm={run}
      title={t(`works.${act}.title`, { name })}
      verb={t(`works.${act}.verb`)}
      busy={running.isPending}
      error={running.error}
      consequences={[t(`works.${act}.readers`)]}
    />
  );
}

function Window({ work }: { work: Maintenance }) {
  const { t } = useTranslation("statuspage");
  const format = useFormat();
  return (
    <span className="num">
      {t("works.window", { from: format.moment(work.starts_at), to: format.moment(work.ends_at) })}
    </span>
  );
}

function useColumns(page: Page): Column<Maintenance>[] {
  const { t } = useTranslation("statuspage");
  return [
    {
      key: "title",
      head: t("works.head.title"),
      cell: (work) => (
        <span className={classes.two}>
          <span className="strong">{localText(work.titles, page.default_locale)}</span>
          <span className={classes.second}>{localText(work.bodies, page.default_locale)}</span>
        </span>
      ),
    },
    {
      key: "state",
      head: t("works.head.state"),
      width: 150,
      cell: ({ state }) => <WorkStatus state={state} inTable />,
    },
    { key: "window", head: t("works.head.window"), width: 290, drop: 1, cell: (work) => <Window work={work} /> },
    {
      key: "components",
      head: t("works.head.components"),
      width: 130,
      drop: 2,
      cell: ({ component_ids: ids }) => <span className="num">{ids.length === 0 ? "—" : ids.length}</span>,
    },
  ];
}
