import { IconCpu, IconServer2, IconTerminal2, IconUserQuestion } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Status } from "@/components/status/status";
import { useFormat, useLanguage } from "@/text/use-format";
import type { Entry } from "./api";
import classes from "./audit.module.css";

/** An action in words; one that this page does not know stays as the panel writes it. */
export function useActionWords(): (action: string) => string {
  const { t } = useTranslation("words");
  return (action) => t(`action.${action}`, { defaultValue: action });
}

const kinds = { denied: "degraded", failed: "down" } as const;

/** What went well is only a word: a mark on every line would hide those that matter. */
export function Result({ entry }: { entry: Entry }) {
  const { t } = useTranslation("audit");
  const words = (
    <>
      {t(`result.${entry.result}`)}
      {entry.count > 1 && <span className="dim num"> ×{entry.count}</span>}
    </>
  );
  if (entry.result === "ok") return <span className="dim">{words}</span>;
  return (
    <Status kind={kinds[entry.result]} quiet>
      {words}
    </Status>
  );
}

/** An action as words; with its code beside it where somebody asked for codes. */
export function ActionName({ entry, codes }: { entry: Entry; codes: boolean }) {
  const words = useActionWords();
  return (
    <span className={classes.action} title={entry.action}>
      <span>{words(entry.action)}</span>
      {codes && <span className="mono dim">{entry.action}</span>}
    </span>
  );
}

/** What the act was on. A refused request has a name in English alone; other languages show its address. */
export function useObjectName(): (entry: Entry) => string {
  const { t } = useTranslation("words");
  const language = useLanguage();
  return ({ object }) => {
    if (object.type === "operation" && language !== "en") return object.id || object.name;
    return object.name || t(`object.${object.type}`, { defaultValue: object.type });
  };
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

/** Day and time to the second. */
export function When({ at }: { at: string }) {
  const format = useFormat();
  return (
    <time dateTime={at} className="num" title={format.fullMoment(at)}>
      <span className="dim">{format.day(at)}</span> {format.clock(at, true)}
    </time>
  );
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
