import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Glyph } from "@/components/status/glyph";
import { ProblemNote } from "@/components/state/problem-view";
import { useProbeWay, type ProbeAnswer } from "../../shared/api";
import classes from "./canvas.module.css";
import { useEditor } from "../editor-context";

/** Has agents try the way, and shows what they met. */
export function WayProbe({ target }: { target: string }) {
  const { t } = useTranslation("flows");
  const { flow, closed } = useEditor();
  const probe = useProbeWay(flow.id);
  return (
    <div className={classes.traceResult}>
      <div>
        <Action
          size="bar"
          busy={probe.isPending}
          {...(closed !== undefined && { reason: closed })}
          onClick={() => probe.mutate(target)}
        >
          {t("trace.probe")}
        </Action>
      </div>
      <div role="status">{probe.data && <Met answer={probe.data} />}</div>
      {probe.error && <ProblemNote error={probe.error} />}
    </div>
  );
}

function Met({ answer: { through, exit } }: { answer: ProbeAnswer }) {
  const { t } = useTranslation("flows");
  const ms = (value: number) => t("trace.ms", { count: Math.round(value) });
  return (
    <ul className={classes.wayMembers}>
      <Line good={through.ok} details={through.ok ? ms(through.ms) : through.error || through.code}>
        {through.ok
          ? t("trace.gotThrough", { node: through.node_name, address: through.exit_ip })
          : t("trace.notThrough", { node: through.node_name })}
      </Line>
      {exit && (
        <Line
          good={exit.ok}
          details={exit.ok ? ms(exit.ms) : exit.inside ? t("trace.inside") : exit.error || exit.code}
        >
          {t(exit.ok ? "trace.dialled" : "trace.notDialled", { node: exit.node_name, address: exit.dialled })}
        </Line>
      )}
    </ul>
  );
}

function Line({ good, details, children }: { good: boolean; details: string; children: string }) {
  const { t } = useTranslation("flows");
  return (
    <li data-taken>
      <Glyph kind={good ? "healthy" : "down"} label={t(good ? "trace.reached" : "trace.notReached")} />
      <span>
        {children} <span className="dim">{details}</span>
      </span>
    </li>
  );
}
