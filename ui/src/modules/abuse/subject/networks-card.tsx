import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, type ViewState } from "@/components/state/states";
import { useFormat, useLanguage } from "@/text/use-format";
import { asnText, countryName } from "../shared/places";
import type { Diversity, Network } from "./api";
import classes from "./networks-card.module.css";
import { day, keyOf, placeOf, signsOf, ticksOf, tracksOf, type Mark, type Sort, type Span, type Track } from "./tracks";

const noMarks: Mark[] = [];

/** From which networks sessions of a user were open in the last day. */
export function NetworksCard({
  state,
  week,
  marks = noMarks,
}: {
  state: ViewState<Diversity>;
  /** Says what is usual; until it is read nothing is called new. */
  week: Diversity | undefined;
  marks?: readonly Mark[];
}) {
  const { t } = useTranslation("abuse");
  const tracks = state.kind === "ready" ? tracksOf(state.data, week) : [];
  const sorts = (["usual", "hosting", "new"] as const).filter((sort) => tracks.some((track) => track.sort === sort));
  return (
    <Card
      title={t("networks.title")}
      label={t("networks.title")}
      aside={t("networks.span")}
      right={sorts.map((sort) => (
        <span key={sort} className={classes.key}>
          <span className={classes.swatch} data-sort={sort} aria-hidden />
          {t(`networks.sort.${sort}`)}
        </span>
      ))}
    >
      {state.kind === "loading" && <Skeleton height={160} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} />}
      {state.kind === "ready" && <Drawing to={Date.parse(state.data.to)} tracks={tracks} marks={marks} />}
    </Card>
  );
}

const mostTracks = 12;

function Drawing({ to, tracks, marks }: { to: number; tracks: readonly Track[]; marks: readonly Mark[] }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const span = { from: to - day, to };
  const signs = signsOf(marks, span);
  if (tracks.length === 0) return <p className="dim">{t("networks.none")}</p>;
  return (
    <div className={classes.drawing} data-marked={signs.length > 0 || undefined}>
      <ul>
        {tracks.slice(0, mostTracks).map((track) => (
          <Line key={keyOf(track.network)} track={track} span={span} />
        ))}
      </ul>
      <div className={classes.over} aria-hidden>
        {ticksOf(span.from, to).map((at) => (
          <span key={at} className={classes.tick} style={{ left: `${placeOf(at, span)}%` }}>
            <span className="num">{format.clock(at)}</span>
          </span>
        ))}
        {signs.map(({ left, text }) => (
          <span key={text} className={classes.mark} style={{ left: `${left}%` }}>
            <span className="num">{text}</span>
          </span>
        ))}
      </div>
      {tracks.length > mostTracks && (
        <p className={`${classes.rest} dim`}>{t("networks.more", { count: tracks.length - mostTracks })}</p>
      )}
    </div>
  );
}

function Line({ track: { network, sort, spans }, span }: { track: Track; span: Span }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const language = useLanguage();
  const times = spans.map(({ from, to }) => `${format.clock(from)}–${format.clock(to)}`);
  const place = placeText(network, language);
  const words = [place, network.nat ? t("networks.nat") : network.kind && t(`networks.kind.${network.kind}`)];
  return (
    <li className={classes.line}>
      <span className={classes.names}>
        <span className={classes.name} title={nameText(network)}>
          {nameText(network) || t("networks.unknown")}
        </span>
        <span className={classes.place}>{words.filter(Boolean).join(", ")}</span>
      </span>
      <span className={classes.track}>
        {spans.map(({ from, to }) => (
          <span
            key={from}
            className={classes.span}
            data-sort={sort}
            title={`${format.clock(from)}–${format.clock(to)}`}
            style={{ left: `${placeOf(from, span)}%`, width: `${placeOf(to, span) - placeOf(from, span)}%` }}
          />
        ))}
        <span className="visually-hidden">
          {t(`networks.sort.${sort as Sort}`)}: {times.join(", ")}
        </span>
      </span>
    </li>
  );
}

/** Who runs a network, or its number. */
export const nameText = ({ name, asn }: Network): string => name || (asn > 0 ? asnText(asn) : "");

function placeText({ country, city }: Network, language: "en" | "ru"): string {
  return [city, country && (city ? country : countryName(country, language))].filter(Boolean).join(", ");
}
