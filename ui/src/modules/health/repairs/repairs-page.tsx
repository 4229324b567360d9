import { IconTool } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { Action, ActionLink } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { SavedViews } from "@/components/layout/tabs";
import { useSearchState } from "@/components/screen/use-search";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, viewState } from "@/components/state/states";
import { useFormat } from "@/text/use-format";
import classes from "../health.module.css";
import { HealthHeader, useBlock } from "../header";
import { subjectQuery } from "../shared/api";
import { proposedQuery, repairsQuery } from "./api";
import { RepairAside } from "./modes-card";
import { RepairRows } from "./repairs-card";
import own from "./repairs.module.css";

const states = ["proposed", "succeeded", "failed", "skipped"] as const;

const search = z.object({
  state: z.enum(states).optional().catch(undefined),
  node: z.uuid().optional().catch(undefined),
});

type Place = z.output<typeof search>;

/** What self-repair did, what it would have done and what it proposes, the newest first. */
export default function RepairsPage() {
  const [place] = useSearchState(search);
  return (
    <>
      <HealthHeader current="repairs" closed={useBlock()} />
      <Views place={place} />
      <Columns width="narrow" side={<RepairAside />}>
        <Log place={place} />
      </Columns>
    </>
  );
}

/** Ready filters, within the node that the address names. */
function Views({ place: { state, node } }: { place: Place }) {
  const { t } = useTranslation("health");
  const waiting = useQuery(proposedQuery).data?.total;
  const to = (one?: Place["state"]) => ({ to: "/monitoring/repairs", search: { state: one, node } });
  return (
    <div className={classes.bar}>
      <SavedViews
        label={t("views.label")}
        current={state ?? "all"}
        views={[
          { key: "all", label: t("views.all"), link: to() },
          ...states.map((one) => ({
            key: one,
            label: t(`repair.state.${one}`),
            count: one === "proposed" && node === undefined ? waiting : undefined,
            link: to(one),
          })),
        ]}
      />
      {node && <OnlyNode node={node} state={state} />}
    </div>
  );
}

function OnlyNode({ node, state }: { node: string; state: Place["state"] }) {
  const { t } = useTranslation("health");
  const name = useQuery(subjectQuery("nodes", node)).data?.name ?? "";
  return (
    <span>
      {t("repair.onlyNode", { name })}{" "}
      <ActionLink kind="link" to="/monitoring/repairs" search={{ state }}>
        {t("repair.allNodes")}
      </ActionLink>
    </span>
  );
}

function Log({ place: { state: only, node } }: { place: Place }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  const list = useInfiniteQuery(repairsQuery({ state: only, node_id: node }));
  const state = viewState(list);
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  const { items, total } = state.data;
  if (items.length === 0)
    return (
      <EmptyState icon={IconTool} title={t("repair.empty")}>
        {t("repair.emptyText")}
      </EmptyState>
    );
  return (
    <Card title={t("repair.log")} aside={<span className="num">{format.number(total)}</span>} flush>
      <RepairRows actions={items} on="log" />
      {list.hasNextPage && (
        <div className={own.more}>
          <Action busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t("app:table.more")}
          </Action>
        </div>
      )}
    </Card>
  );
}
