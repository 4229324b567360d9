import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { Status } from "@/components/status/status";
import { useRead, useTake, type Made } from "./api";
import { Choice } from "./choice";
import { Findings } from "./findings";
import classes from "./imports.module.css";
import { SourceForm } from "./source-form";

/** From the source over what was understood of it to the drafts. */
export function ImportFlows({ closed, onTaken }: { closed?: string; onTaken: (made: Made[]) => void }) {
  const { t } = useTranslation("imports");
  const read = useRead();
  const take = useTake();
  const found = read.data;
  const again = () => {
    read.reset();
    take.reset();
  };
  if (!found)
    return (
      <Card title={t("source.title")}>
        <SourceForm busy={read.isPending} error={read.error} closed={closed} onRead={(from) => read.mutate(from)} />
      </Card>
    );
  return (
    <div className={classes.steps}>
      {take.data ? (
        <Card title={t("done.title", { count: take.data.flows.length })}>
          <Outcome made={take.data.flows} />
          <Action onClick={again}>{t("done.again")}</Action>
        </Card>
      ) : (
        <Card title={t("choice.title", { format: t(`format.${found.format}`, { defaultValue: found.format }) })}>
          <Choice
            found={found}
            busy={take.isPending}
            error={take.error}
            onBack={again}
            onTake={(choice) => take.mutate(choice, { onSuccess: (taken) => onTaken(taken.flows) })}
          />
        </Card>
      )}
      {found.findings.length > 0 && (
        <Card title={t("findings.title", { count: found.findings.length })}>
          <Findings found={found.findings} />
        </Card>
      )}
    </div>
  );
}

/** What was made, with the way to each draft. */
function Outcome({ made }: { made: Made[] }) {
  const { t } = useTranslation("imports");
  return (
    <div role="status" className={classes.outcome}>
      <Status kind="healthy">{t("done.text")}</Status>
      <ul>
        {made.map((flow) => (
          <li key={flow.id}>
            <Link to={`/flows/${flow.id}`}>{flow.name}</Link>{" "}
            <span className="dim">{t("clients", { count: flow.clients })}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
