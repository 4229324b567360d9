import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { Card, Figure } from "@/components/layout/card";
import { ProblemNote } from "@/components/state/problem-view";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import type { PastKnown, PastProps } from "@/module";
import { useFormat } from "@/text/use-format";
import classes from "./flows-past.module.css";

type Installed = components["schemas"]["PastInstalled"];
type PastFlow = components["schemas"]["PastFlow"];

const installedQuery = (at: string) =>
  queryOptions({
    queryKey: ["flows", "installed-at", at],
    queryFn: ({ signal }): Promise<Installed> =>
      answer(api.GET("/api/v1/connection-units/installed", { params: { query: { at } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 60_000,
  });

export function useKnown(at: string): PastKnown {
  const installed = useQuery(installedQuery(at)).data;
  const of = (iso: string | null | undefined) => (iso ? Date.parse(iso) : undefined);
  return { earlier: of(installed?.earlier), later: of(installed?.later) };
}

/** How many flows were served at a moment. */
export function PastTile({ at }: PastProps) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const installed = useQuery(installedQuery(at)).data;
  if (!installed) return <Figure name={t("tile.flows")} value="" />;
  const served = installed.items.filter((flow) => flow.version_number !== null).length;
  const failed = installed.items.filter((flow) => flow.state === "apply_failed").length;
  return (
    <Figure
      name={t("tile.flows")}
      value={format.number(served)}
      of={t("tile.of", { total: format.number(installed.total) })}
      note={
        failed > 0 ? (
          <>
            <Glyph kind="failed" />
            {t("past.failed", { count: failed })}
          </>
        ) : undefined
      }
    />
  );
}

/** Which version of each flow its nodes served at a moment. */
export function PastInstalled({ at }: PastProps) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const { data: installed, error } = useQuery(installedQuery(at));
  const rest = installed ? installed.total - installed.items.length : 0;
  return (
    <Card
      title={t("past.title")}
      label={t("past.title")}
      aside={
        installed && installed.total > 0 ? <span className="num">{format.number(installed.total)}</span> : undefined
      }
      flush
    >
      {error && !installed ? (
        <ProblemNote error={error} />
      ) : (
        <ul className={classes.rows}>
          {installed?.items.map((flow) => (
            <PastRow key={flow.id} flow={flow} />
          ))}
          {installed?.total === 0 && <li className={classes.none}>{t("past.none")}</li>}
          {rest > 0 && <li className={classes.none}>{t("past.rest", { count: rest })}</li>}
        </ul>
      )}
    </Card>
  );
}

const glyphs: Record<PastFlow["state"], GlyphKind> = {
  applied: "in-sync",
  applying: "applying",
  apply_failed: "failed",
  disabled: "skipped",
};

function PastRow({ flow }: { flow: PastFlow }) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const path = flow.apply_id ? `/flows/${flow.id}/applies/${flow.apply_id}` : `/flows/${flow.id}`;
  const words = [
    flow.state !== "applied" && t(`config.${flow.state}`),
    flow.bypassed > 0 && t("past.bypassed", { count: flow.bypassed }),
  ];
  return (
    <li className={classes.row}>
      <Glyph kind={flow.state === "applied" && flow.bypassed > 0 ? "bypassed" : glyphs[flow.state]} />
      <span className={classes.name}>
        <Link to={path} className="strong">
          {flow.version_number === null ? flow.name : `${flow.name} v${flow.version_number}`}
        </Link>{" "}
        <span className="dim">{words.filter(Boolean).join(", ")}</span>
      </span>
      <span className={`${classes.when} num`}>{flow.since && format.moment(flow.since)}</span>
    </li>
  );
}
