import { useTranslation } from "react-i18next";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { RelativeTime } from "@/components/text/relative-time";
import type { Explanation, WayPool } from "../../shared/api";
import classes from "./canvas.module.css";
import { useNameOfKey } from "../editor-context";

const stepGlyph: Record<Explanation["steps"][number]["result"], GlyphKind> = {
  taken: "healthy",
  passed_over: "skipped",
  no_data: "no-data",
};

/** What the panel says of an edge, by the sentence that it says it with. */
const whys = {
  "takes everything that no other edge chose": "rest",
  "every condition holds": "holds",
  "another port": "otherPort",
  "another protocol": "otherProtocol",
  "another destination": "otherPlace",
  "the edge asks for the port": "port",
  "the edge asks for the protocol": "protocol",
  "the edge asks for a category, and its contents are on the node": "category",
  "the edge asks for a name or an address that was not given": "place",
} as const;

type Choice = WayPool["choices"][number];
type Seen = WayPool["members"][number]["seen"][number];

const seenGlyph: Record<Seen["state"], GlyphKind> = {
  unknown: "no-data",
  healthy: "healthy",
  degraded: "degraded",
  down: "down",
};

/** A way edge by edge, and what nodes have seen of the pools on it. */
export function Way({ answer }: { answer: Explanation }) {
  const { t } = useTranslation("flows");
  const nameOf = useNameOfKey();
  const why = (reason: string) => (reason in whys ? t(`trace.why.${whys[reason as keyof typeof whys]}`) : reason);
  const shared = answer.node_name === "" && answer.pools.length > 0 && answer.result !== "block";
  return (
    <div className={classes.traceResult}>
      <p className="strong">
        {shared && answer.result !== "unknown"
          ? t("trace.shared")
          : t(`trace.${answer.result}`, { name: answer.node_name })}
      </p>
      {answer.served_by && (
        <p className="dim">{t("served.by", { name: answer.served_by.connection || t("served.somePanel") })}</p>
      )}
      <ol>
        {answer.steps.map((step, index) => (
          <li key={index} data-taken={step.result === "taken" || undefined}>
            <Glyph kind={stepGlyph[step.result]} label={t(`trace.step.${step.result}`)} />
            <span>
              {nameOf(step.from)} → {nameOf(step.to)}
              <span className="dim"> {why(step.reason)}</span>
            </span>
          </li>
        ))}
      </ol>
      {answer.pools.map((pool, index) => (
        <PoolOnWay key={index} pool={pool} />
      ))}
    </div>
  );
}

function PoolOnWay({ pool }: { pool: WayPool }) {
  const { t } = useTranslation("flows");
  return (
    <section aria-label={t("trace.pool", { name: pool.name })}>
      <p className="strong">{t("trace.pool", { name: pool.name })}</p>
      {pool.choices.length === 0 && <p className="dim">{t("trace.notReported")}</p>}
      {pool.choices.map((choice) => (
        <p key={choice.node_id}>
          <Carries choice={choice} />
          <span className="dim">
            {" "}
            {t(`trace.reason.${choice.reason}`, { defaultValue: choice.reason })}, <RelativeTime at={choice.at} />
          </span>
        </p>
      ))}
      <ul className={classes.wayMembers}>
        {pool.members.flatMap((member) =>
          member.seen.map((seen) => (
            <li key={member.member_id + seen.node_id} data-taken={member.active || undefined}>
              <Glyph kind={seenGlyph[seen.state]} label={t(`trace.member.${seen.state}`)} />
              <span>
                {member.node_name}
                <span className="dim">
                  {" "}
                  <Evidence seen={seen} />
                </span>
              </span>
            </li>
          )),
        )}
      </ul>
    </section>
  );
}

function Carries({ choice }: { choice: Choice }) {
  const { t } = useTranslation("flows");
  const node = choice.node_name;
  if (choice.active_name) return <>{t("trace.carries", { node, member: choice.active_name })}</>;
  if (choice.serves === "fallback") return <>{t("trace.onFallback", { node })}</>;
  return <>{t("trace.carry", { node, count: choice.usable })}</>;
}

function Evidence({ seen }: { seen: Seen }) {
  const { t } = useTranslation("flows");
  const why = seen.error || t(`trace.reason.${seen.reason}`, { defaultValue: seen.reason });
  return (
    <>
      {seen.rtt_ms > 0 && `${t("trace.ms", { count: seen.rtt_ms })}, `}
      {why}, {t("trace.seenBy", { node: seen.node_name })} <RelativeTime at={seen.at} />
    </>
  );
}
