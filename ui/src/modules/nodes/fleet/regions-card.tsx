import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useFrame } from "@/api/figures";
import { Card } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import { useFormat } from "@/text/use-format";
import { summaryQuery, type NodeSummary } from "../shared/fleet";
import classes from "./regions.module.css";

type Region = NodeSummary["regions"][number];

const shownCities = 4;

/** Every region with its cities: how many nodes are online, their sessions and traffic now. */
export function RegionsCard() {
  const { t } = useTranslation("nodes");
  const regions = useQuery(summaryQuery).data?.regions ?? [];
  if (regions.length === 0) return null;
  return (
    <Card title={t("regions.title")} aside={<span className="num">{regions.length}</span>} flush>
      <div className={classes.scroll}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{t("regions.region")}</th>
              <th scope="col" data-right>
                {t("regions.online")}
              </th>
              <th scope="col" data-right>
                {t("regions.sessions")}
              </th>
              <th scope="col" data-right>
                {t("regions.out")}
              </th>
            </tr>
          </thead>
          <tbody>
            {regions.map((region) => (
              <RegionRow key={region.region} region={region} />
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function RegionRow({ region }: { region: Region }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const live = useFrame((state) => state.regions.get(region.region));
  const { states, total, figures } = live ?? region;
  const sent = format.bits(figures.net_tx_bps);
  const online = states.online ?? 0;
  const cities = [...region.cities].sort((a, b) => b.total - a.total);
  const rest = cities.length - shownCities;
  return (
    <tr>
      <th scope="row">
        <span className="strong">{region.region || t("fleet.elsewhere")}</span>
        <span className={classes.cities}>
          {cities.slice(0, shownCities).map(cityName(t)).join(", ")}
          {rest > 0 && ` +${rest}`}
        </span>
      </th>
      <td data-right className="num">
        {(states.offline ?? 0) > 0 && <Glyph kind="down" size={11} label={t("health.offline")} />}{" "}
        {format.number(online)}
        <span className="dim"> / {format.number(total)}</span>
      </td>
      <td data-right className="num">
        {figures.sessions === null ? <span className="dim">—</span> : format.number(figures.sessions)}
      </td>
      <td data-right className="num">
        {sent.value} <span className="dim">{sent.unit}</span>
      </td>
    </tr>
  );
}

function cityName(t: (key: string) => string) {
  return ({ city, country_code, total }: Region["cities"][number]) => {
    const name = city || (country_code === "XX" ? t("regions.nowhere") : country_code);
    return total > 1 ? `${name} ${total}` : name;
  };
}
