import { useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { useState } from "react";
import { licenseQuery } from "@/api/access";
import { useSession } from "@/api/session";
import { setupStateQuery } from "@/api/setup";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { useModules } from "@/components/slots/contributions";
import { keepResults, readResults, stepToOpen } from "./progress";
import { SetupClosed } from "./setup-closed";
import { SetupView } from "./setup-view";

/** Leads through the steps; the panel's own state decides where it may begin. */
export default function SetupPage() {
  const state = viewState(useQuery(setupStateQuery));
  const { token } = useSession();
  const license = useQuery({ ...licenseQuery, enabled: token !== undefined }).data;
  const steps = useModules()
    .flatMap((module) => module.setup ?? [])
    .sort((a, b) => a.order - b.order);
  const [results, setResults] = useState(readResults);
  const [chosen, setChosen] = useState<string>();
  if (state.kind === "loading") return <Skeleton rows={6} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} />;
  if (state.data.finished) return <SetupClosed />;
  if (state.data.administrator && token === undefined)
    return <Navigate to="/login" search={{ next: "/setup" }} replace />;
  const keys = steps.map((step) => step.key);
  const open = chosen ?? stepToOpen(keys, results, state.data.administrator);
  const shown = { ...(state.data.administrator ? { checks: { text: "" }, admin: { text: "" } } : {}), ...results };
  const finish = (key: string) => (text?: string, skipped?: boolean) => {
    const next = { ...results, [key]: { text: text ?? "", skipped } };
    keepResults(next);
    setResults(next);
    setChosen(keys[keys.indexOf(key) + 1] ?? key);
  };
  return (
    <SetupView
      steps={steps}
      open={open}
      results={shown}
      administrator={state.data.administrator}
      readOnly={license?.read_only ?? true}
      onOpen={setChosen}
      onDone={finish}
    />
  );
}
