import { useQuery } from "@tanstack/react-query";
import { useAccess } from "@/api/access";
import { setupStateQuery } from "@/api/setup";
import { useModules } from "@/components/slots/contributions";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import type { OverviewPart, UiModule } from "@/module";
import type { Language } from "@/text/format";
import { useLanguage } from "@/text/use-format";
import { OverviewParts } from "./overview-parts";

type Loaded = { name: string; part: OverviewPart };

export default function OverviewPage() {
  const { can } = useAccess();
  const language = useLanguage();
  const modules = useModules().filter((module) => module.overview);
  const isSeen = ({ overview }: UiModule) => !overview?.needs || can(...overview.needs);
  const unseen = modules.filter((module) => !isSeen(module)).map((module) => nameOf(module, language));
  const sources = modules.filter(isSeen).sort((a, b) => a.overview!.order - b.overview!.order);
  const names = sources.map((module) => module.name);
  const setup = useQuery(setupStateQuery).data;
  const parts = useQuery({
    queryKey: ["overview", "parts", ...names],
    staleTime: Infinity,
    queryFn: (): Promise<Loaded[]> =>
      Promise.all(
        sources.map(async (module) => ({ name: module.name, part: (await module.overview!.load()).default })),
      ),
  });
  if (parts.error) return <ProblemView error={parts.error} onRetry={() => void parts.refetch()} />;
  if (!parts.data) return <Skeleton rows={8} />;
  return (
    <OverviewParts
      key={names.join()}
      parts={parts.data}
      unseen={unseen}
      setupOpen={setup !== undefined && !setup.finished}
    />
  );
}

function nameOf(module: UiModule, language: Language): string {
  return module.navigation?.[0]?.label[language] ?? module.name;
}
