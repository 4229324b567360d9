import { useTranslation } from "react-i18next";
import { StaleTag } from "@/components/state/states";
import { useFormat } from "@/text/use-format";
import classes from "./carried.module.css";
import { useAfter } from "./use-now";

/** What was measured of something that carries traffic; null where nobody measures it. */
export interface Load {
  sessions: number | null;
  up_bps: number | null;
  down_bps: number | null;
  observed_at: string | null;
}

/** The same of several together, as old as the oldest of them. */
export function sumOf(loads: readonly Load[]): Load {
  const sum = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);
  return loads.reduce(
    (all, one) => ({
      sessions: sum(all.sessions, one.sessions),
      up_bps: sum(all.up_bps, one.up_bps),
      down_bps: sum(all.down_bps, one.down_bps),
      observed_at: [all.observed_at, one.observed_at].filter((at) => at !== null).toSorted()[0] ?? null,
    }),
    { sessions: null, up_bps: null, down_bps: null, observed_at: null },
  );
}

/** Whether a measurement still says how things are now. */
export function isFresh(load: Load, now: number, staleAfter: number): boolean {
  return load.observed_at !== null && Date.parse(load.observed_at) + staleAfter * 1000 > now;
}

/** Sessions and both directions in one line; nothing where nobody measures, and the time where it was long ago. */
export function Carried({ load, staleAfter = 30 }: { load: Load; staleAfter?: number }) {
  const { t } = useTranslation("app");
  const format = useFormat();
  const stale = useAfter(load.observed_at === null ? undefined : Date.parse(load.observed_at) + staleAfter * 1000);
  if (load.observed_at === null) return null;
  if (stale) return <StaleTag since={load.observed_at} />;
  const { sessions, up_bps, down_bps } = load;
  const rate = (bps: number) => {
    const { value, unit } = format.bits(bps);
    return `${value} ${unit}`;
  };
  return (
    <span className={`${classes.load} soft num`}>
      {sessions !== null && <span>{t("carried.sessions", { count: sessions, shown: format.number(sessions) })}</span>}
      {down_bps !== null && <Direction sign="↓" shown={rate(down_bps)} said="carried.down" />}
      {up_bps !== null && <Direction sign="↑" shown={rate(up_bps)} said="carried.up" />}
    </span>
  );
}

/** An arrow for the eye, the words for who rests on it or listens. */
function Direction({ sign, shown, said }: { sign: string; shown: string; said: string }) {
  const { t } = useTranslation("app");
  const words = t(said, { rate: shown });
  return (
    <span title={words}>
      <span aria-hidden>
        {sign} {shown}
      </span>
      <span className="visually-hidden">{words}</span>
    </span>
  );
}
