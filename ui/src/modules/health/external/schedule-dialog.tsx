import { Checkbox, NumberInput, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { SubjectField } from "../shared/subject-field";
import { targetsQuery, useSaveSchedule, type Plan, type Schedule } from "./api";

interface ScheduleDialogProps {
  /** Left out for a new one. */
  schedule?: Schedule;
  onClose: () => void;
}

/** Makes a schedule or changes one. Draw it only while it is open. */
export function ScheduleDialog(props: ScheduleDialogProps) {
  const { t } = useTranslation("health");
  const title = props.schedule
    ? t("external.changeNamed", { name: props.schedule.flow_name })
    : t("external.addSchedule");
  return (
    <FormModal opened onClose={props.onClose} title={title}>
      <ScheduleForm {...props} />
    </FormModal>
  );
}

const usual: Plan = { flow_id: "", every_hours: 24, max_price: 1_000, enabled: true };

function planOf(schedule: Schedule | undefined): Plan {
  if (!schedule) return usual;
  const { flow_id, node_id, operators, every_hours, max_price, enabled } = schedule;
  return { flow_id, every_hours, max_price, enabled, ...(node_id && { node_id }), ...(operators && { operators }) };
}

function ScheduleForm({ schedule, onClose }: ScheduleDialogProps) {
  const { t } = useTranslation("health");
  const save = useSaveSchedule();
  const [first] = useState(() => planOf(schedule));
  const [plan, setPlan] = useState(first);
  const set = (some: Partial<Plan>) => setPlan((now) => ({ ...now, ...some }));
  const cancel = useTyped(JSON.stringify(first) !== JSON.stringify(plan));
  const targets = useQuery(targetsQuery(plan.flow_id)).data ?? [];
  const wrong = fieldErrors(save.error);
  const chosen = targets.length > 1 && !plan.node_id;
  const reason = plan.flow_id === "" ? t("external.pickFirst") : chosen ? t("external.nodeFirst") : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason !== undefined || save.isPending) return;
    save.mutate(
      { schedule, plan },
      {
        onSuccess: () => {
          toastDone(t("external.scheduleSaved"), t("external.scheduleSavedText"));
          onClose();
        },
      },
    );
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems error={save.error} fields={{}} />
      <SubjectField
        focused
        kind="connection_unit"
        label={t("flows.one")}
        id={plan.flow_id}
        name={schedule?.flow_name}
        error={wrong.flow_id}
        onChange={(flow_id) => setPlan({ ...plan, flow_id, node_id: "" })}
      />
      {targets.length > 1 && (
        <Select
          size="md"
          label={t("external.node")}
          allowDeselect={false}
          data={targets.map(({ node_id: value, node_name: label }) => ({ value, label }))}
          value={plan.node_id || null}
          error={wrong.node_id}
          onChange={(node_id) => node_id && set({ node_id })}
        />
      )}
      <NumberInput
        size="md"
        label={t("external.everyHours")}
        min={1}
        max={720}
        allowDecimal={false}
        clampBehavior="blur"
        value={plan.every_hours}
        error={wrong.every_hours}
        onChange={(hours) => hours !== "" && set({ every_hours: Number(hours) })}
      />
      <NumberInput
        size="md"
        label={t("external.maxPrice")}
        description={t("external.maxPriceHelp")}
        min={0.01}
        max={1_000_000}
        decimalScale={2}
        suffix=" ₽"
        clampBehavior="blur"
        value={plan.max_price / 100}
        error={wrong.max_price}
        onChange={(value) => value !== "" && set({ max_price: Math.round(Number(value) * 100) })}
      />
      <Checkbox
        label={t("external.enabled")}
        checked={plan.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <DialogFoot>
        <Action size="dialog" onClick={cancel}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={save.isPending} reason={reason}>
          {t("save")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
