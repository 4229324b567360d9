import { useQuery } from "@tanstack/react-query";
import { IconHandStop, IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { Card, Row, Rows } from "@/components/layout/card";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState, type ViewState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import { actsQuery, useSwitch, type Acts, type AutomaticAct, type AutomationState } from "./api";
import classes from "./automation.module.css";
import { StopDialog } from "./stop-dialog";

export default function AutomationSection() {
  return <AutomationView state={viewState(useQuery(actsQuery))} />;
}

/** The switch above the list of everything that the panel does by itself. */
export function AutomationView({ state }: { state: ViewState<Acts> }) {
  if (state.kind === "loading") return <Skeleton rows={8} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} />;
  if (state.kind !== "ready") return null;
  return (
    <>
      <SwitchCard state={state.data.state} />
      <ActsCard acts={state.data.items} />
    </>
  );
}

function SwitchCard({ state }: { state: AutomationState }) {
  const { t } = useTranslation("automation");
  const format = useFormat();
  const block = useWriteBlock({ needs: "settings.manage", whileReadOnly: true });
  const [stopping, setStopping] = useState(false);
  const act = useSwitch();
  return (
    <Card
      title={t("title")}
      right={
        state.stopped ? (
          <Action
            kind="filled"
            icon={IconPlayerPlay}
            busy={act.isPending}
            reason={block}
            onClick={() => act.mutate(undefined)}
          >
            {t("resume")}
          </Action>
        ) : (
          <Action kind="danger" icon={IconHandStop} reason={block} onClick={() => setStopping(true)}>
            {t("stop")}
          </Action>
        )
      }
    >
      <div className={classes.words}>
        {state.stopped ? (
          <Status kind="degraded">{t("stopped")}</Status>
        ) : (
          <Status kind="healthy">{t("running")}</Status>
        )}
        {state.stopped && state.at && (
          <p>{t("since", { moment: format.fullMoment(state.at), by: state.by, reason: state.reason })}</p>
        )}
        {!state.stopped && state.at && (
          <p className="dim">{t("resumed", { moment: format.fullMoment(state.at), by: state.by })}</p>
        )}
        <p className="soft">{t("lead")}</p>
        {act.isError && <ProblemNote error={act.error} />}
      </div>
      {stopping && <StopDialog onClose={() => setStopping(false)} />}
    </Card>
  );
}

function ActsCard({ acts }: { acts: AutomaticAct[] }) {
  const { t } = useTranslation("automation");
  return (
    <Card title={t("acts")} aside={acts.length} flush>
      <Rows label={t("acts")}>
        {acts.map((act) => (
          <ActRow key={act.name} act={act} />
        ))}
      </Rows>
    </Card>
  );
}

function ActRow({ act }: { act: AutomaticAct }) {
  const { t } = useTranslation(["automation", "words"]);
  const format = useFormat();
  const said = (part: "summary" | "budget") => t(`words:automatic.${act.name}.${part}`, act[part]);
  return (
    <Row className={classes.act}>
      <div className={classes.words}>
        <span className="strong">{said("summary")}</span>
        <span className="soft">{t("limit", { limit: said("budget") })}</span>
        <span className="dim">
          {act.last
            ? t("last", {
                moment: format.fullMoment(act.last.at),
                what: t(`words:action.${act.last.action}`, act.last.action),
                object: act.last.object,
              })
            : t("never")}
        </span>
      </div>
      <Status kind={act.why === "" ? "healthy" : act.why === "stopped" ? "degraded" : "skipped"} quiet={act.why === ""}>
        {t(`why.${act.why || "on"}`)}
      </Status>
    </Row>
  );
}
