import { useTranslation } from "react-i18next";
import { Card, Facts } from "@/components/layout/card";
import { RelativeTime } from "@/components/text/relative-time";
import { useAfter } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import type { Restore } from "../shared/api";

const shownFor = 7 * 24 * 3_600_000;

/** What the last restore of the panel left to look at, for a week. */
export function RestoredCard({ restores }: { restores: readonly Restore[] }) {
  const { t } = useTranslation("backups");
  const format = useFormat();
  const last = restores.find(({ mode, outcome }) => mode === "full" && outcome);
  const at = last?.finished_at ?? last?.created_at;
  const old = useAfter(at === undefined ? undefined : Date.parse(at) + shownFor);
  const outcome = last?.outcome;
  if (!outcome || at === undefined || old) return null;
  const since = outcome.enrolled_since ?? [];
  return (
    <Card title={t("restored.title")} aside={<RelativeTime at={at} />}>
      <Facts
        nameWidth={240}
        items={[
          { name: t("restored.snapshot"), value: outcome.snapshot, mono: true },
          { name: t("restored.journal"), value: t("restored.after", { seq: format.number(outcome.continued_after) }) },
          { name: t("restored.license"), value: t(outcome.license_kept ? "restored.kept" : "restored.fromBackup") },
          { name: t("restored.raised"), value: format.number(outcome.raised) },
          {
            name: t("restored.since"),
            value: since.length > 0 ? since.map(({ name }) => name).join(", ") : t("restored.none"),
          },
        ]}
      />
    </Card>
  );
}
