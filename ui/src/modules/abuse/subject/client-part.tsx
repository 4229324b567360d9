import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ActionLink } from "@/components/action/action";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { useFormat } from "@/text/use-format";
import classes from "../abuse.module.css";
import { signalsQuery } from "../signals/api";

/** On the page of a client: how many signals there are of it, and the way to all that is known. */
export default function ClientPart({ id }: { id: string }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const ref = `c:${id}`;
  const state = viewState(useInfiniteQuery(signalsQuery({ user_ref: ref, allowed: true })));
  if (state.kind === "loading") return <Skeleton rows={1} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} />;
  const { total } = state.data;
  return (
    <div className={classes.acts}>
      <span className="soft">
        {total === 0 ? t("client.none") : t("client.signals", { count: total, shown: format.number(total) })}
      </span>
      <ActionLink size="bar" to="/abuse/subjects/$ref" params={{ ref }}>
        {t("client.open")}
      </ActionLink>
    </div>
  );
}
