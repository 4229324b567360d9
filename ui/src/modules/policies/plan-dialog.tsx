import { Checkbox, NumberInput, PasswordInput, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { useSavePlan, type CustomPlan, type NewPlanBody, type PlanBody } from "./api";
import classes from "./policies.module.css";

interface PlanDialogProps {
  /** Left out for a new one. */
  plan?: CustomPlan | undefined;
  onClose: () => void;
}

/** Makes a custom plan, or a new version of one. Draw it only while it is open. */
export function PlanDialog({ plan, onClose }: PlanDialogProps) {
  const { t } = useTranslation("policies");
  return (
    <FormModal
      opened
      onClose={onClose}
      title={plan ? t("plan.newVersionOf", { name: plan.name }) : t("plan.add")}
      size="lg"
    >
      <PlanForm plan={plan} onClose={onClose} />
    </FormModal>
  );
}

const split = { packets: "tlshello", length: "100-200", interval: "10-20" } as const;

/** A body without what its way does not take. */
export function bodyOf(body: PlanBody, password: string, kept: boolean): NewPlanBody {
  if (body.way === "direct")
    return { way: "direct", family: body.family ?? "any", ...(body.fragment && { fragment: body.fragment }) };
  return {
    way: body.way,
    address: body.address?.trim() ?? "",
    ...(body.port !== undefined && { port: body.port }),
    ...(body.user && { user: body.user }),
    ...(!kept && { password }),
  };
}

/** Where the fields of a refusal stand in the form. */
const places = {
  name: "plan-name",
  "body.address": "plan-address",
  "body.port": "plan-port",
  "body.user": "plan-user",
  "body.password": "plan-password",
};

function PlanForm({ plan, onClose }: PlanDialogProps) {
  const { t } = useTranslation("policies");
  const save = useSavePlan();
  const newest = plan?.versions[0];
  const [name, setName] = useState("");
  const [body, setBody] = useState<PlanBody>(newest?.body ?? { way: "socks" });
  const [password, setPassword] = useState("");
  const set = (some: Partial<PlanBody>) => setBody((now) => ({ ...now, ...some }));
  const cancel = useTyped(
    name !== "" || password !== "" || JSON.stringify(body) !== JSON.stringify(newest?.body ?? { way: "socks" }),
  );
  const wrong = fieldErrors(save.error);
  const refused = (field: string) => wrong[field] ?? wrong[`body.${field}`];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending || (!plan && !name.trim())) return;
    const kept = password === "" && newest?.has_password === true;
    const onSuccess = () => {
      toastDone(t("plan.saved"), t("plan.savedText"));
      onClose();
    };
    save.mutate({ plan, name: name.trim(), body: bodyOf(body, password, kept) }, { onSuccess });
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems error={save.error} fields={places} />
      {!plan && (
        <TextInput
          size="md"
          data-autofocus
          required
          autoComplete="off"
          maxLength={64}
          id="plan-name"
          label={t("policy.name")}
          value={name}
          error={wrong.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      <Select
        size="md"
        label={t("plan.way")}
        allowDeselect={false}
        data={(["socks", "http", "direct"] as const).map((value) => ({ value, label: t(`wayName.${value}`) }))}
        value={body.way}
        error={refused("way")}
        onChange={(way) => way && set({ way: way as PlanBody["way"] })}
      />
      {body.way === "direct" ? (
        <>
          <Select
            size="md"
            label={t("plan.family")}
            allowDeselect={false}
            data={(["any", "ipv4", "ipv6"] as const).map((value) => ({ value, label: t(`familyName.${value}`) }))}
            value={body.family ?? "any"}
            onChange={(family) => family && set({ family: family as "any" })}
          />
          <Checkbox
            label={t("plan.splits")}
            description={t("plan.splitsHelp")}
            checked={body.fragment !== undefined}
            onChange={(event) => set({ fragment: event.currentTarget.checked ? split : (undefined as never) })}
          />
        </>
      ) : (
        <>
          <div className={classes.pair}>
            <TextInput
              size="md"
              id="plan-address"
              label={t("plan.address")}
              autoComplete="off"
              value={body.address ?? ""}
              error={refused("address")}
              onChange={(event) => set({ address: event.currentTarget.value })}
            />
            <NumberInput
              size="md"
              id="plan-port"
              label={t("plan.port")}
              min={1}
              max={65_535}
              allowDecimal={false}
              value={body.port ?? ""}
              error={refused("port")}
              onChange={(port) => set({ port: Number(port) || (undefined as never) })}
            />
          </div>
          <div className={classes.pair}>
            <TextInput
              size="md"
              id="plan-user"
              label={t("plan.user")}
              autoComplete="off"
              value={body.user ?? ""}
              error={refused("user")}
              onChange={(event) => set({ user: event.currentTarget.value })}
            />
            <PasswordInput
              size="md"
              id="plan-password"
              label={t("plan.password")}
              description={newest?.has_password ? t("plan.passwordKept") : undefined}
              autoComplete="new-password"
              value={password}
              error={refused("password")}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
          </div>
        </>
      )}
      <p className="soft">{t("plan.grantsNothing")}</p>
      <DialogFoot>
        <Action size="dialog" onClick={cancel}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={save.isPending}>
          {t(plan ? "plan.saveVersion" : "save")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}
