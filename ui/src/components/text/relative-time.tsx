import { Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/text/use-format";
import { useNow } from "./use-now";

/** "14 min ago" with the full moment on hover and focus. */
export function RelativeTime({ at, bare = false }: { at: string; bare?: boolean }) {
  const { t } = useTranslation("app");
  const format = useFormat();
  const now = useNow();
  const seconds = (now - Date.parse(at)) / 1000;
  const span = format.span(Math.abs(seconds));
  const words = bare ? span : seconds < 0 ? t("time.in", { span }) : t("time.ago", { span });
  return (
    <Tooltip label={format.fullMoment(at)}>
      <time dateTime={at}>{words}</time>
    </Tooltip>
  );
}
