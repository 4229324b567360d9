import { NumberInput, Select, Switch, TextInput } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { zonesWith } from "@/components/form/zones";
import { Card } from "@/components/layout/card";
import classes from "../backups.module.css";
import type { PartProps } from "./encryption-card";
import { fieldId, type ProfileDraft, type ProfileField } from "./profile-draft";
import { ScheduleField } from "./schedule-field";

/** The name of a profile, and when it runs. */
export function ScheduleCard({ draft, set, errors, block }: PartProps) {
  const { t } = useTranslation("backups");
  const zones = useMemo(() => zonesWith(draft.zone), [draft.zone]);
  const disabled = block !== undefined;
  return (
    <Card title={t("profile.schedule")}>
      <div className={classes.fields}>
        <TextInput
          id={fieldId("name")}
          label={t("profile.name")}
          value={draft.name}
          maxLength={64}
          autoComplete="off"
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={errors.of("name")}
          disabled={disabled}
        />
        <ScheduleField
          id={fieldId("schedule")}
          label={t("profile.when")}
          never={t("schedule.mode.manual")}
          value={draft.schedule}
          onChange={(schedule) => set({ schedule })}
          error={errors.of("schedule")}
          disabled={disabled}
        />
        <Select
          id={fieldId("zone")}
          label={t("profile.zone")}
          data={zones}
          value={draft.zone}
          onChange={(zone) => zone && set({ zone })}
          searchable
          limit={60}
          allowDeselect={false}
          nothingFoundMessage={t("profile.noZone")}
          error={errors.of("zone")}
          disabled={disabled}
        />
        <Switch
          label={t("profile.enabled")}
          description={t("profile.enabledHelp")}
          checked={draft.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
          disabled={disabled}
        />
      </div>
    </Card>
  );
}

type NumberName = "keepLast" | "keepDays" | "keepGigabytes" | "deadmanHours";

function Amount({
  name,
  label,
  help,
  suffix,
  draft,
  set,
  errors,
  block,
}: PartProps & { name: NumberName & ProfileField; label: string; help?: string; suffix?: string }) {
  return (
    <NumberInput
      id={fieldId(name)}
      label={label}
      description={help}
      suffix={suffix}
      value={draft[name]}
      min={0}
      decimalScale={name === "keepGigabytes" ? 2 : 0}
      hideControls
      onChange={(value) => set({ [name]: value } as Partial<ProfileDraft>)}
      error={errors.of(name)}
      disabled={block !== undefined}
    />
  );
}

/** How long backups stay at each destination. */
export function RetentionCard(props: PartProps) {
  const { t } = useTranslation("backups");
  return (
    <Card title={t("retention.title")}>
      <div className={classes.fields}>
        <p className="soft">{t("retention.text")}</p>
        <div className={classes.pair}>
          <Amount {...props} name="keepLast" label={t("retention.last")} />
          <Amount {...props} name="keepDays" label={t("retention.days")} suffix={t("retention.daysUnit")} />
        </div>
        <Amount
          {...props}
          name="keepGigabytes"
          label={t("retention.bytes")}
          help={t("retention.bytesHelp")}
          suffix={t("retention.bytesUnit")}
        />
      </div>
    </Card>
  );
}

/** How the panel makes sure that backups are there and can be restored. */
export function ProofCard(props: PartProps) {
  const { draft, set, errors, block } = props;
  const { t } = useTranslation("backups");
  const alone = draft.mode !== "age";
  return (
    <Card title={t("proof.title")}>
      <div className={classes.fields}>
        <ScheduleField
          id={fieldId("test")}
          label={t("proof.test")}
          description={t(alone ? "proof.testHelp" : "proof.testAge")}
          never={t("proof.never")}
          value={draft.test}
          onChange={(test) => set({ test })}
          error={errors.of("test")}
          disabled={block !== undefined || !alone}
        />
        <Amount
          {...props}
          name="deadmanHours"
          label={t("proof.deadman")}
          help={t("proof.deadmanHelp")}
          suffix={t("proof.hours")}
        />
      </div>
    </Card>
  );
}
