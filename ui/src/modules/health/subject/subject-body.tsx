import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Columns } from "@/components/layout/columns";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { IncidentLine } from "../incidents/incident-line";
import { NodeRepairsCard } from "../repairs/repairs-card";
import { subjectQuery, type Kind } from "../shared/api";
import { DaysCard } from "./days-card";
import { EvidenceCard } from "./evidence-card";
import { FactsCard } from "./facts-card";
import { HistoryCards } from "./history-cards";
import { VerdictCard } from "./verdict-card";

/** All that is known of how one node or flow does. */
export function SubjectBody({ kind, id }: { kind: Kind; id: string }) {
  const { t } = useTranslation("health");
  const state = viewState(useQuery(subjectQuery(kind, id)));
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  const subject = state.data;
  return (
    <Columns
      width="narrow"
      side={
        <>
          <DaysCard days={subject.days} />
          <FactsCard subject={subject} />
        </>
      }
    >
      <IncidentLine subjectId={id} />
      <VerdictCard kind={kind} subject={subject} />
      {kind === "nodes" && <NodeRepairsCard nodeId={id} />}
      <EvidenceCard subject={subject} />
      <HistoryCards kind={kind} id={id} />
    </Columns>
  );
}
