import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Figure } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import type { PastProps } from "@/module";
import { useFormat } from "@/text/use-format";
import { CellView, FleetPicture } from "../fleet/fleet-picture";
import classes from "../fleet/fleet.module.css";
import type { Region } from "../fleet/by-region";
import type { FleetCell } from "../shared/fleet";
import { momentQuery, type FleetMoment } from "./moment";

/** The figures of the fleet at a moment. A minute in which the panel did not run has none. */
export function PastFigures({ at }: PastProps) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const moment = useQuery(momentQuery(at)).data;
  const figures = moment?.figures;
  const nothing = moment && !figures ? t("past.notNoted") : undefined;
  const sent = figures && format.bits(figures.net_tx_bps);
  const received = figures && format.bits(figures.net_rx_bps);
  const { sessions = null } = figures ?? {};
  return (
    <>
      <PastNodes moment={moment} />
      <Figure
        name={t("tile.sessions")}
        value={sessions === null ? "—" : format.number(sessions)}
        note={
          nothing ??
          (sessions === null
            ? t("tile.sessionsUnknown")
            : t("tile.from", { count: figures?.nodes, shown: format.number(figures?.nodes ?? 0) }))
        }
      />
      <Figure
        name={t("tile.traffic")}
        value={sent?.value ?? "—"}
        of={sent?.unit}
        note={nothing ?? (received && t("tile.in", { value: `${received.value} ${received.unit}` }))}
      />
    </>
  );
}

function PastNodes({ moment }: { moment: FleetMoment | undefined }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  if (!moment) return <Figure name={t("tile.nodes")} value="" />;
  const { online = 0, degraded = 0, offline = 0 } = moment.states;
  const bad = [
    offline > 0 && t("tile.offline", { count: offline }),
    degraded > 0 && t("tile.degraded", { count: degraded }),
  ];
  const note = bad.filter(Boolean).join(", ");
  return (
    <Figure
      name={t("tile.nodes")}
      value={format.number(online + degraded)}
      of={t("tile.of", { total: format.number(moment.total) })}
      note={
        note ? (
          <>
            <Glyph kind={offline > 0 ? "down" : "degraded"} />
            {note}
          </>
        ) : moment.states.unknown ? (
          t("past.notNoted")
        ) : (
          t("past.calm")
        )
      }
    />
  );
}

/** Each node that is still there, as it was. */
export function PastStrip({ at }: PastProps) {
  const { t } = useTranslation("nodes");
  const moment = useQuery(momentQuery(at)).data;
  if (!moment || moment.cells.length === 0) return null;
  const rest = moment.total - moment.cells.length;
  return (
    <FleetPicture
      cells={moment.cells}
      states={moment.states}
      CellOf={PastCell}
      line={(region) => <PastLine region={region} />}
      rest={rest > 0 ? <span className="dim">{t("past.rest", { count: rest })}</span> : undefined}
    />
  );
}

function PastCell({ cell }: { cell: FleetCell }) {
  return <CellView cell={cell} load={cell[4]} />;
}

function PastLine({ region: { name, cells } }: { region: Region }) {
  const { t } = useTranslation("nodes");
  const online = cells.filter(([, , state]) => state === "online").length;
  return (
    <p className={classes.place}>
      <span>{name || t("fleet.elsewhere")}</span> <b className="num">{`${online}/${cells.length}`}</b>
    </p>
  );
}
