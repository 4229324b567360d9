import { Checkbox, Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import type { Auto } from "../api";
import classes from "../statuspage.module.css";
import type { CardProps } from "./draft";

const publishing: Auto["publish"][] = ["never", "after_10_min", "at_once"];
const severities: Auto["min_severity"][] = ["critical", "warning"];

/** What follows by itself when health finds that something is broken. */
export function AutoCard({ draft: { auto }, set, block }: CardProps) {
  const { t } = useTranslation("statuspage");
  const change = (some: Partial<Auto>) => set({ auto: { ...auto, ...some } });
  const disabled = block !== undefined;
  return (
    <Card title={t("auto.title")}>
      <div className={classes.stack}>
        <Checkbox
          disabled={disabled}
          checked={auto.draft}
          onChange={(event) => change({ draft: event.currentTarget.checked })}
          label={t("auto.draft")}
          description={t("auto.draftHelp")}
        />
        {auto.draft && (
          <div className={classes.pair}>
            <Select
              size="md"
              label={t("auto.severity")}
              allowDeselect={false}
              disabled={disabled}
              data={severities.map((value) => ({ value, label: t(`auto.from.${value}`) }))}
              value={auto.min_severity}
              onChange={(next) => next && change({ min_severity: next as Auto["min_severity"] })}
            />
            <Select
              size="md"
              label={t("auto.publish")}
              allowDeselect={false}
              disabled={disabled}
              data={publishing.map((value) => ({ value, label: t(`auto.when.${value}`) }))}
              value={auto.publish}
              onChange={(next) => next && change({ publish: next as Auto["publish"] })}
            />
          </div>
        )}
      </div>
    </Card>
  );
}
