import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { useAccess } from "@/api/access";
import { useModules } from "@/components/slots/contributions";
import type { AttentionItem, UiModule } from "@/module";
import { laterQuery, type LoadedPart } from "./parts";

/** How long the first parts have the machine for themselves, in milliseconds. */
const patience = 1_500;

interface LaterPartsProps {
  later: readonly UiModule[];
  onLines: (name: string, lines: AttentionItem[]) => void;
}

/** Asks the parts that come later once the page can be used. Draws nothing: their lines are told. */
export function LaterParts({ later, onLines }: LaterPartsProps) {
  const [due, setDue] = useState(false);
  const queries = useQueryClient();
  const { can } = useAccess();
  const modules = useModules();
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), patience);
    return () => clearTimeout(timer);
  }, []);
  const parts = useQuery({ ...laterQuery(later, { queries, can, modules, search: {} }), enabled: due }).data;
  return parts?.map((loaded) => (
    <Suspense key={loaded.name}>
      <LaterPart {...loaded} onLines={onLines} />
    </Suspense>
  ));
}

function LaterPart({ name, part, onLines }: LoadedPart & Pick<LaterPartsProps, "onLines">) {
  const lines = JSON.stringify(part.useAttention?.() ?? []);
  useEffect(() => onLines(name, JSON.parse(lines) as AttentionItem[]), [name, lines, onLines]);
  return null;
}
