import { useTranslation } from "react-i18next";
import { StaleTag } from "@/components/state/states";
import { useFormat } from "@/text/use-format";
import { useFiguresAge } from "./use-figures-age";

/** How old the figures of a page are that move with the stream; says so when they have stopped. */
export function FiguresAge() {
  const { t } = useTranslation("app");
  const format = useFormat();
  const age = useFiguresAge();
  if (age === undefined) return null;
  if (age.stopped) return <StaleTag since={new Date(age.at).toISOString()} />;
  return <span className="num">{t("figuresAge", { span: format.span(age.seconds) })}</span>;
}
