import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "@/text/use-format";
import { useNow } from "./use-now";

/** "14 min ago"; a pointer is told the full moment, which is not written before: a list has one in each row. */
export function RelativeTime({ at, bare = false }: { at: string; bare?: boolean }) {
  const { t } = useTranslation("app");
  const format = useFormat();
  const now = useNow();
  const [pointed, setPointed] = useState(false);
  const seconds = (now - Date.parse(at)) / 1000;
  const span = format.span(Math.abs(seconds));
  const words = bare ? span : seconds < 0 ? t("time.in", { span }) : t("time.ago", { span });
  return (
    <time dateTime={at} title={pointed ? format.fullMoment(at) : undefined} onPointerEnter={() => setPointed(true)}>
      {words}
    </time>
  );
}
