import { useNavigate } from "@tanstack/react-router";
import { useMemo, type ComponentType, type MouseEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Glyph } from "@/components/status/glyph";
import { useFormat, useLanguage } from "@/text/use-format";
import type { FleetCell } from "../shared/fleet";
import { healths } from "../shared/node-status";
import type { NodeState } from "../shared/types";
import { byRegion, type Region } from "./by-region";
import classes from "./fleet.module.css";

const legend: NodeState[] = ["online", "degraded", "maintenance", "pending", "disabled", "offline"];

/** More cells than this are drawn small. */
const many = 150;

interface FleetPictureProps {
  cells: readonly FleetCell[];
  states: Partial<Record<string, number>>;
  CellOf: ComponentType<{ cell: FleetCell }>;
  /** What stands below the cells of a region. */
  line: (region: Region) => ReactNode;
  rest?: ReactNode;
}

/** One cell per node: colour is health, fill height is CPU. */
export function FleetPicture({ cells, states, CellOf, line, rest }: FleetPictureProps) {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const regions = useMemo(() => byRegion(cells, language), [cells, language]);
  return (
    <section className={classes.fleet} aria-label={t("fleet.title")}>
      <div className={classes.head}>
        <h2>{t("fleet.title")}</h2>
        <Legend states={states} />
      </div>
      <div className={classes.regions} data-many={cells.length > many || undefined}>
        {regions.map((region) => (
          <div key={region.name} className={classes.region}>
            <Cells cells={region.cells} CellOf={CellOf} />
            {line(region)}
          </div>
        ))}
      </div>
      {rest !== undefined && <p className={classes.rest}>{rest}</p>}
    </section>
  );
}

function Legend({ states }: Pick<FleetPictureProps, "states">) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  return (
    <ul className={classes.legend}>
      {legend
        .filter((state) => (states[state] ?? 0) > 0)
        .map((state) => (
          <li key={state}>
            <Glyph kind={healths[state].glyph} />
            {t(healths[state].word)} <b className="num">{format.number(states[state] ?? 0)}</b>
          </li>
        ))}
      <li className={classes.note}>{t("fleet.fill")}</li>
    </ul>
  );
}

/**
 * A picture for the pointer: the list of nodes tells the same to keyboard and screen reader. There are hundreds of
 * cells, so a cell is given its words when the pointer comes to it.
 */
function Cells({ cells, CellOf }: Pick<FleetPictureProps, "cells" | "CellOf">) {
  const navigate = useNavigate();
  const words = useCellWords();
  const cellAt = (event: MouseEvent<HTMLElement>) =>
    (event.target as HTMLElement).closest<HTMLElement>("[data-node]") ?? undefined;
  const open = (event: MouseEvent<HTMLElement>) => {
    const id = cellAt(event)?.dataset.node;
    if (id) void navigate({ to: "/nodes/$id", params: { id } });
  };
  const tell = (event: MouseEvent<HTMLElement>) => {
    const place = cellAt(event);
    const cell = place && cells.find(([id]) => id === place.dataset.node);
    if (cell) place.title = words(cell, place.dataset.load);
  };
  // Keyboard and screen reader have the list of nodes.
  /* eslint-disable jsx-a11y/mouse-events-have-key-events */
  return (
    <div className={classes.cells} onClick={open} onMouseOver={tell} aria-hidden>
      {cells.map((cell) => (
        <CellOf key={cell[0]} cell={cell} />
      ))}
    </div>
  );
}

/* eslint-enable jsx-a11y/mouse-events-have-key-events */

function useCellWords() {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  return ([, name, state]: FleetCell, load: string | undefined) => {
    const { word } = healths[state] ?? unknown;
    return [name, t(word), load && `CPU ${format.percent(Math.round(Number(load)))}`].filter(Boolean).join(", ");
  };
}

const unknown = { glyph: "no-data", word: "health.unknown" } as const;

/** One node with the load that is known of it. */
export function CellView({ cell: [id, , state], load }: { cell: FleetCell; load: number | null }) {
  const { glyph } = healths[state] ?? unknown;
  const blank = glyph === "no-data" || glyph === "down" || load === null;
  return (
    <span className={classes.cell} data-node={id} data-health={glyph} data-load={blank ? undefined : load}>
      {blank ? <Glyph kind={glyph} size={11} /> : <span style={{ height: `${Math.max(7, Math.min(100, load))}%` }} />}
    </span>
  );
}
