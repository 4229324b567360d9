import { useQuery } from "@tanstack/react-query";
import { licenseQuery, useAccess } from "@/api/access";
import { setupStateQuery } from "@/api/setup";
import { useModules } from "@/components/slots/contributions";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import type { Start, UiModule } from "@/module";
import type { Language } from "@/text/format";
import { useLanguage } from "@/text/use-format";
import { appliesQuery, jobsQuery } from "./api";
import { OverviewParts } from "./overview-parts";
import { partsQuery, sources } from "./parts";

/** Everything above the fold is asked for at once. */
export async function ahead(start: Start): Promise<unknown> {
  const { queries, can, modules } = start;
  const own = [
    queries.prefetchQuery(setupStateQuery),
    queries.prefetchQuery(licenseQuery),
    queries.prefetchQuery(jobsQuery),
    can("connection_units.view") && queries.prefetchQuery(appliesQuery),
  ];
  const parts = await queries.fetchQuery(partsQuery(sources(modules, can).seen));
  return Promise.all([...own, ...parts.map(({ part }) => part.ahead?.(start))]);
}

export default function OverviewPage() {
  const { can } = useAccess();
  const language = useLanguage();
  const { seen, later, unseen } = sources(useModules(), can);
  const setup = useQuery(setupStateQuery).data;
  const parts = useQuery(partsQuery(seen));
  if (parts.error) return <ProblemView error={parts.error} onRetry={() => void parts.refetch()} />;
  if (!parts.data) return <Skeleton rows={8} />;
  return (
    <OverviewParts
      key={[...seen, ...later].map(({ name }) => name).join()}
      parts={parts.data}
      later={later}
      unseen={unseen.map((module) => nameOf(module, language))}
      setupOpen={setup !== undefined && !setup.finished}
    />
  );
}

function nameOf(module: UiModule, language: Language): string {
  return module.navigation?.[0]?.label[language] ?? module.name;
}
