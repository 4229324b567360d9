import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { useFigures, useFrame, useSample } from "@/api/figures";
import { useFormat } from "@/text/use-format";
import { cellsQuery, summaryQuery, type FleetCell } from "../shared/fleet";
import { CellView, FleetPicture } from "./fleet-picture";
import classes from "./fleet.module.css";
import { useFleet } from "./tiles";

const drawn = 500;

/** The fleet as it is now. A larger one than can be drawn shows what needs attention first. */
export function FleetStrip() {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const fleet = useFleet();
  const total = fleet?.total ?? 0;
  useFigures(total > 0 && total <= drawn ? "all" : []);
  const cells = useQuery({ ...cellsQuery, refetchInterval: total > drawn ? 30_000 : false }).data;
  if (!fleet || !cells || total === 0) return null;
  const rest = total - cells.cells.length;
  return (
    <FleetPicture
      cells={cells.cells}
      states={fleet.states}
      CellOf={Cell}
      line={({ name }) => <RegionLine name={name} />}
      rest={
        rest > 0 ? <Link to="/nodes">{t("fleet.rest", { count: rest, shown: format.number(rest) })}</Link> : undefined
      }
    />
  );
}

/** The name of a region and how many of all its nodes are online, not only of those that are drawn. */
function RegionLine({ name }: { name: string }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const summary = useQuery(summaryQuery).data?.regions.find((region) => region.region === name);
  const live = useFrame((state) => state.regions.get(name));
  const known = live ?? summary;
  return (
    <p className={classes.place}>
      <span>{name || t("fleet.elsewhere")}</span>{" "}
      {known && <b className="num">{`${format.number(known.states.online ?? 0)}/${format.number(known.total)}`}</b>}
    </p>
  );
}

const Cell = memo(function Cell({ cell }: { cell: FleetCell }) {
  return <CellView cell={cell} load={useLoad(cell)} />;
});

/** The load of a node now; none where its newest sample is old. */
function useLoad([id, , , , read]: FleetCell): number | null {
  const sample = useSample(id);
  const stale = useFrame(({ at, staleAfter }) => sample && at !== undefined && at - sample.at > staleAfter * 1000);
  return stale ? null : (sample?.cpu ?? read);
}
