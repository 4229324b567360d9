import { useQuery } from "@tanstack/react-query";
import { useAccess } from "@/api/access";
import { setupStateQuery } from "@/api/setup";
import { useModules } from "@/components/contributions";
import { ProblemView } from "@/components/problem-view";
import { Skeleton } from "@/components/states";
import type { OverviewPart } from "@/module";
import { OverviewParts } from "./overview-parts";

type Loaded = { name: string; part: OverviewPart };

export default function OverviewPage() {
  const { can } = useAccess();
  const sources = useModules()
    .filter((module) => module.overview && (!module.overview.needs || can(...module.overview.needs)))
    .sort((a, b) => a.overview!.order - b.overview!.order);
  const names = sources.map((module) => module.name);
  const setup = useQuery(setupStateQuery).data;
  const parts = useQuery({
    queryKey: ["overview", "parts", ...names],
    staleTime: Infinity,
    queryFn: (): Promise<Loaded[]> => Promise.all(sources.map(async (module) => ({ name: module.name, part: (await module.overview!.load()).default }))),
  });
  if (parts.error) return <ProblemView error={parts.error} onRetry={() => void parts.refetch()} />;
  if (!parts.data) return <Skeleton rows={8} />;
  return <OverviewParts key={names.join()} parts={parts.data} setupOpen={setup !== undefined && !setup.finished} />;
}
