import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Columns } from "@/components/layout/columns";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { usePageTitle } from "@/components/layout/page-title";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { RelativeTime } from "@/components/text/relative-time";
import { useBlock } from "../header";
import { IncidentRepairsCard } from "../repairs/repairs-card";
import { ActDialog } from "./act-dialog";
import { incidentQuery, type Act, type IncidentDetail } from "./api";
import { IncidentFacts } from "./incident-facts";
import { incidentName, IncidentState, incidentWhat } from "./incident-text";
import { SufferersCard } from "./sufferers-card";
import { TimeLineCard } from "./time-line-card";

/** One incident: what is likely the matter, who suffers, who saw it, and what was done. */
export default function IncidentPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { t } = useTranslation("health");
  const state = viewState(useQuery(incidentQuery(id)));
  const incident = state.kind === "ready" ? state.data : undefined;
  const name = incident && incidentName(t, incident);
  usePageTitle(name);
  return (
    <>
      <PageHeader
        title={name ?? t("incident.one")}
        meta={incident && <Lead incident={incident} />}
        actions={incident && <Acts incident={incident} />}
        closed={useBlock()}
      />
      {state.kind === "loading" && <Skeleton rows={8} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />}
      {incident && (
        <Columns width="narrow" side={<IncidentFacts incident={incident} />}>
          <IncidentRepairsCard actions={incident.actions} />
          <SufferersCard incident={incident} />
          <TimeLineCard incident={incident} />
        </Columns>
      )}
    </>
  );
}

function Lead({ incident }: { incident: IncidentDetail }) {
  const { t } = useTranslation("health");
  return (
    <>
      <Meta>
        <IncidentState incident={incident} />
      </Meta>
      <Meta>{incidentWhat(t, incident)}</Meta>
      <Meta>
        <RelativeTime at={incident.opened_at} />
      </Meta>
    </>
  );
}

/** What a person can do about it: take it on, or close it by hand. */
function Acts({ incident }: { incident: IncidentDetail }) {
  const { t } = useTranslation("health");
  const block = useBlock();
  const [open, setOpen] = useState<Act>();
  if (incident.state === "resolved") return null;
  return (
    <>
      {incident.acknowledged_at === null && (
        <Action kind="filled" reason={block} onClick={() => setOpen("ack")}>
          {t("incident.ack.open")}
        </Action>
      )}
      <Action reason={block} onClick={() => setOpen("resolve")}>
        {t("incident.resolve.open")}
      </Action>
      {open && <ActDialog key={open} act={open} incident={incident} onClose={() => setOpen(undefined)} />}
    </>
  );
}
