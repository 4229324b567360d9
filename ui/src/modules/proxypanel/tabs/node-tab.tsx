import { useQuery } from "@tanstack/react-query";
import { IconPlugConnected } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { answer, api } from "@/api/client";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import classes from "../proxypanel.module.css";
import { useServing } from "./serving";
import { ServingRows } from "./serving-rows";

/** On the page of a node: which nodes of proxy panels it is, and who is on them. */
export default function NodeTab({ id }: { id: string }) {
  const { t } = useTranslation("proxypanel");
  const { data, error, retry } = useServing(({ node_id: ours }) => ours === id);
  if (!data && error) return <ProblemView error={error} onRetry={retry} tried={t("panel.loadFailed")} />;
  if (!data) return <Skeleton rows={3} />;
  if (data.length === 0)
    return (
      <EmptyState icon={IconPlugConnected} title={t("serving.noNode")}>
        {t("serving.noNodeText")}
      </EmptyState>
    );
  return (
    <Card title={t("title")} label={t("title")} flush>
      <ServingRows
        serving={data}
        about={({ mapped: { mapping } }) => (
          <span className="soft">
            {t("node.flows", { count: mapping.flow_ids.length })}
            {mapping.flow_ids.map((flow, at) => (
              <span key={flow}>
                {at === 0 ? ": " : ", "}
                <FlowLink id={flow} number={at + 1} />
              </span>
            ))}
          </span>
        )}
      />
    </Card>
  );
}

/** A flow by its name; by a number for those who may not see flows. */
function FlowLink({ id, number }: { id: string; number: number }) {
  const { t } = useTranslation("proxypanel");
  const { data } = useQuery({
    queryKey: ["proxypanel", "flow", id],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/connection-units/{id}", { params: { path: { id } }, signal })),
    retry: false,
  });
  return (
    <Link to={`/flows/${id}`} className={classes.inText}>
      {data?.name ?? t("serving.flow", { number })}
    </Link>
  );
}
