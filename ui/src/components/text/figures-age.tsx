import { useTranslation } from "react-i18next";
import { useFrame } from "@/api/figures";
import { StaleTag } from "@/components/state/states";
import { useFormat } from "@/text/use-format";
import { useAfter, useNow } from "./use-now";

const missed = 3;

/** How old the figures of a page are that move with the stream; says so when they have stopped. */
export function FiguresAge() {
  const { t } = useTranslation("app");
  const format = useFormat();
  const at = useFrame((state) => state.at);
  const interval = useFrame((state) => state.interval);
  const stopped = useAfter(at === undefined ? undefined : at + missed * interval * 1000);
  const now = useNow();
  if (at === undefined) return null;
  if (stopped) return <StaleTag since={new Date(at).toISOString()} />;
  return <span className="num">{t("figuresAge", { span: format.span((now - at) / 1000) })}</span>;
}
