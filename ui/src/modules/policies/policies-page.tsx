import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useWriteBlock } from "@/api/access";
import { PageHeader } from "@/components/layout/page-header";
import { PageTabs } from "@/components/layout/tabs";
import { useSearchState } from "@/components/screen/use-search";
import { viewState } from "@/components/state/states";
import { catalogueQuery, everyPolicyQuery, outdatedQuery, plansQuery, policiesQuery } from "./api";
import { CatalogueTab } from "./catalogue-tab";
import { PlansTab } from "./plans-tab";
import { PoliciesTab } from "./policies-tab";
import classes from "./policies.module.css";

const tabs = ["policies", "catalogue", "plans"] as const;
const search = z.object({ tab: z.enum(tabs).optional().catch(undefined) });

/** Policies, the catalogue that they and drawings speak of, and custom plans. */
export default function PoliciesPage() {
  const { t } = useTranslation("policies");
  const [place] = useSearchState(search);
  const tab = place.tab ?? "policies";
  const block = useWriteBlock({ needs: "connection_units.policies", feature: "flows" });
  const policies = useInfiniteQuery(policiesQuery);
  const catalogue = useQuery({ ...catalogueQuery, enabled: tab === "catalogue" });
  const outdated = useQuery(outdatedQuery);
  const plans = useInfiniteQuery({ ...plansQuery, enabled: tab === "plans" });
  const every = useQuery({ ...everyPolicyQuery, enabled: tab === "plans" });
  const counts = {
    policies: policies.data?.total,
    catalogue: outdated.data?.items.length || undefined,
    plans: undefined,
  };
  return (
    <>
      <PageHeader title={t("title")} meta={t("lead")} closed={block} />
      <PageTabs
        label={t("title")}
        current={tab}
        tabs={tabs.map((key) => ({
          key,
          label: t(`tabs.${key}`),
          count: counts[key],
          link: { to: "/policies", search: key === "policies" ? {} : { tab: key } } as never,
        }))}
      />
      <div className={classes.tab}>
        {tab === "policies" && <PoliciesTab state={viewState(policies)} block={block} more={moreOf(policies)} />}
        {tab === "catalogue" && <CatalogueTab state={viewState(catalogue)} outdated={outdated.data} block={block} />}
        {tab === "plans" && (
          <PlansTab state={viewState(plans)} policies={every.data ?? []} block={block} more={moreOf(plans)} />
        )}
      </div>
    </>
  );
}

interface Paged {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
}

const moreOf = (list: Paged) =>
  list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined;
