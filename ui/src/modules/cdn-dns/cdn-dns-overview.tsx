import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { certificateEnd } from "@/api/certificate-end";
import { useNow } from "@/components/text/use-now";
import type { AttentionItem } from "@/module";
import { everyCertificateQuery, type Certificate } from "./certificates/api";

type Trouble = "over" | "soon" | "failed";

const troubles: Trouble[] = ["over", "soon", "failed"];
const named = 3;

function troubleOf(one: Certificate, now: number): Trouble | undefined {
  const end = certificateEnd(one, now);
  if (end === "over" || end === "soon") return end;
  return one.state === "failed" ? "failed" : undefined;
}

/** Certificates that have ended or are about to, and those that could not be issued or renewed: one line for each. */
function useAttention(): AttentionItem[] {
  const { t } = useTranslation("cdn-dns");
  const now = useNow();
  const all = useQuery(everyCertificateQuery).data ?? [];
  return troubles.flatMap((trouble) => {
    const [first, ...rest] = all.filter((one) => troubleOf(one, now) === trouble);
    if (!first) return [];
    const names = [first, ...rest].slice(0, named).map((one) => one.names[0]);
    const item: AttentionItem = {
      id: `certificates-${trouble}`,
      severity: trouble === "over" ? "crit" : "warn",
      glyph: trouble === "over" ? "down" : "degraded",
      count: rest.length + 1,
      name: rest.length > 0 ? t("attention.name", { count: rest.length + 1 }) : (first.names[0] ?? ""),
      members: rest.length > 0 ? names.join(", ") : undefined,
      what: t(`attention.${trouble}`, { count: rest.length + 1 }),
      effect: trouble === "failed" ? first.last_error : t(`attention.${trouble}Effect`),
      since: trouble === "over" ? (first.not_after ?? undefined) : undefined,
      act:
        rest.length > 0
          ? { label: t("attention.show"), path: "/domains/certificates" }
          : { label: t("attention.open"), path: "/domains/certificates", search: { open: first.id } },
    };
    return [item];
  });
}

export default { useAttention };
