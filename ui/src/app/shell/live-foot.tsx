import { Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { live } from "@/api/stream";
import { systemStatusQuery } from "@/api/system";
import { Glyph } from "@/components/status/glyph";
import { useFiguresAge } from "@/components/text/use-figures-age";
import { useFormat } from "@/text/use-format";
import classes from "./side-nav.module.css";

/** What moves by itself on this page and how old it is. "Live" stands only over what has come lately. */
export function LiveFoot({ rail }: { rail: boolean }) {
  const { good, word, what } = useLiveWords();
  const status = useQuery(systemStatusQuery);
  const kind = good ? "healthy" : "no-data";
  if (rail) {
    const said = [word, what].filter(Boolean).join(": ");
    return (
      <div className={classes.foot}>
        <Tooltip label={said} position="right">
          <span className={classes.live}>
            <Glyph kind={kind} size={11} label={said} />
          </span>
        </Tooltip>
      </div>
    );
  }
  return (
    <div className={classes.foot}>
      <span className={classes.live}>
        <Glyph kind={kind} size={11} />
        {word}
      </span>
      <span className={`${classes.release} num`}>{status.data?.version}</span>
      {what && <span className={`${classes.moves} num`}>{what}</span>}
    </div>
  );
}

function useLiveWords(): { good: boolean; word: string; what?: string } {
  const { t } = useTranslation("app");
  const format = useFormat();
  const { state } = useStore(live);
  const figures = useFiguresAge();
  if (state !== "live") return { good: false, word: t(`live.${state}`) };
  if (figures === undefined) return { good: true, word: t("live.live"), what: t("live.changes") };
  if (figures.stopped)
    return { good: false, word: t("live.partly"), what: t("live.noFigures", { time: format.clock(figures.at, true) }) };
  return { good: true, word: t("live.live"), what: t("live.figures", { span: format.span(figures.seconds) }) };
}
