import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { memo, useMemo, type MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import { useFigures, useFrame, useSample } from "@/api/figures";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { useFormat, useLanguage } from "@/text/use-format";
import { cellsQuery, summaryQuery, type FleetCell } from "../shared/fleet";
import { healths } from "../shared/node-status";
import type { NodeState } from "../shared/types";
import { byRegion } from "./by-region";
import classes from "./fleet.module.css";
import { useFleet } from "./tiles";

const legend: { glyph: GlyphKind; word: string; state: NodeState }[] = [
  { glyph: "healthy", word: "health.online", state: "online" },
  { glyph: "degraded", word: "health.degraded", state: "degraded" },
  { glyph: "maintenance", word: "health.maintenance", state: "maintenance" },
  { glyph: "no-data", word: "health.pending", state: "pending" },
  { glyph: "skipped", word: "health.disabled", state: "disabled" },
  { glyph: "down", word: "health.offline", state: "offline" },
];

/** More cells than this are drawn small. */
const many = 150;
const drawn = 500;

/** One cell per node: colour is health, fill height is CPU. A larger fleet shows what needs attention first. */
export function FleetStrip() {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const fleet = useFleet();
  const language = useLanguage();
  const total = fleet?.total ?? 0;
  useFigures(total > 0 && total <= drawn ? "all" : []);
  const cells = useQuery({ ...cellsQuery, refetchInterval: total > drawn ? 30_000 : false }).data;
  const regions = useMemo(() => byRegion(cells?.cells ?? [], language), [cells, language]);
  if (!fleet || !cells || total === 0) return null;
  const counted = legend.filter((item) => (fleet.states[item.state] ?? 0) > 0);
  return (
    <section className={classes.fleet} aria-label={t("fleet.title")}>
      <div className={classes.head}>
        <h2>{t("fleet.title")}</h2>
        <ul className={classes.legend}>
          {counted.map((item) => (
            <li key={item.word}>
              <Glyph kind={item.glyph} />
              {t(item.word)} <b className="num">{format.number(fleet.states[item.state] ?? 0)}</b>
            </li>
          ))}
          <li className={classes.note}>{t("fleet.fill")}</li>
        </ul>
      </div>
      <div className={classes.regions} data-many={cells.cells.length > many || undefined}>
        {regions.map((region) => (
          <div key={region.name} className={classes.region}>
            <Cells cells={region.cells} />
            <RegionLine name={region.name} />
          </div>
        ))}
      </div>
      {cells.cells.length < total && (
        <p className={classes.rest}>
          <Link to="/nodes">{t("fleet.rest", { count: total - cells.cells.length })}</Link>
        </p>
      )}
    </section>
  );
}

/** The name of a region and how many of all its nodes are online, not only of those that are drawn. */
function RegionLine({ name }: { name: string }) {
  const { t } = useTranslation("nodes");
  const summary = useQuery(summaryQuery).data?.regions.find((region) => region.region === name);
  const live = useFrame((state) => state.regions.get(name));
  const known = live ?? summary;
  return (
    <p className={classes.place}>
      <span>{name || t("fleet.elsewhere")}</span>{" "}
      {known && <b className="num">{`${known.states.online ?? 0}/${known.total}`}</b>}
    </p>
  );
}

/** A picture for the pointer: the list of nodes tells the same to keyboard and screen reader. */
function Cells({ cells }: { cells: readonly FleetCell[] }) {
  const navigate = useNavigate();
  const open = (event: MouseEvent<HTMLElement>) => {
    const id = (event.target as HTMLElement).closest<HTMLElement>("[data-node]")?.dataset.node;
    if (id) void navigate({ to: "/nodes/$id", params: { id } });
  };
  return (
    <div className={classes.cells} onClick={open} aria-hidden>
      {cells.map((cell) => (
        <Cell key={cell[0]} cell={cell} />
      ))}
    </div>
  );
}

const Cell = memo(function Cell({ cell: [id, name, state, , cpu] }: { cell: FleetCell }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const load = useSample(id)?.cpu ?? cpu;
  const { glyph, word } = healths[state];
  const blank = glyph === "no-data" || glyph === "down" || load === null;
  const words = [name, t(word), !blank && `CPU ${format.percent(Math.round(load))}`].filter(Boolean).join(", ");
  return (
    <span className={classes.cell} data-node={id} data-health={glyph} title={words}>
      {!blank && <span style={{ height: `${Math.max(7, Math.min(100, load))}%` }} />}
      {blank && <Glyph kind={glyph} size={11} />}
    </span>
  );
});
