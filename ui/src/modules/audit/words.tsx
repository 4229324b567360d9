import { IconCpu, IconServer2, IconTerminal2, IconUserQuestion } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useNow } from "@/components/text/use-now";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import type { Entry } from "./api";
import classes from "./audit.module.css";

/** An action in words; one that this page does not know stays as the panel writes it. */
export function useActionWords(): (action: string) => string {
  const { t } = useTranslation("words");
  return (action) => t(`action.${action}`, { defaultValue: action });
}

const kinds = { ok: "healthy", denied: "degraded", failed: "down" } as const;

export function Result({ entry }: { entry: Entry }) {
  const { t } = useTranslation("audit");
  return (
    <Status kind={kinds[entry.result]} quiet>
      {t(`result.${entry.result}`)}
      {entry.count > 1 && <span className="dim num"> ×{entry.count}</span>}
    </Status>
  );
}

const shapes = { agent: IconServer2, system: IconCpu, cli: IconTerminal2, none: IconUserQuestion };

/** Who did it: people by name, everything else also by its kind. */
export function Who({ actor }: { actor: Entry["actor"] }) {
  const { t } = useTranslation("audit");
  if (actor.kind === "admin") return <span>{actor.name || actor.id}</span>;
  const Shape = shapes[actor.kind];
  return (
    <span className={classes.who}>
      <Shape size={15} stroke={1.6} role="img" aria-label={t(`actor.${actor.kind}`)} />
      {actor.kind === "none" ? t("actor.nobody") : actor.name || t(`actor.${actor.kind}`)}
    </span>
  );
}

/** The time alone for today, with its day before that. */
export function When({ at }: { at: string }) {
  const format = useFormat();
  const moment = new Date(at);
  const today = new Date(useNow()).toDateString() === moment.toDateString();
  return (
    <time dateTime={at} className="num" title={format.fullMoment(at)}>
      {!today && <span className="dim">{dayOf(format.moment(at))} </span>}
      {format.clock(at, true)}
    </time>
  );
}

function dayOf(moment: string): string {
  return moment.replace(/,? \d{2}:\d{2}$/, "");
}

/** Why a request was refused: the code of its problem, which is no change of anything. */
export function refusalOf(entry: Entry): string | undefined {
  const code = entry.changes.code?.to;
  return entry.action === "access.denied" && typeof code === "string" ? code : undefined;
}

const places: Record<string, string> = { account: "/accounts/", node: "/nodes/", flow: "/flows/" };

/** Where an object can be looked at; nothing for what has no page or is gone with the act. */
export function placeOf(entry: Entry): string | undefined {
  if (entry.object.type === "license") return "/license";
  const place = places[entry.object.type];
  if (!place || !entry.object.id || entry.action.endsWith(".deleted")) return undefined;
  return place + entry.object.id;
}
