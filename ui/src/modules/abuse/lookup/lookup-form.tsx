import { NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { useRequestKey } from "@/api/request-key";
import { Action } from "@/components/action/action";
import { DialogForm } from "@/components/dialog/dialog-form";
import { DateTimeField } from "@/components/form/date-time-field";
import { FormProblems } from "@/components/form/form-problems";
import { useLeaveGuard } from "@/components/form/use-leave-guard";
import { useFormat } from "@/text/use-format";
import classes from "../abuse.module.css";
import { useBlock } from "../header";
import { useLookup, type NewLookup } from "./api";

const ids = {
  address: "lookup-address",
  port: "lookup-port",
  dest: "lookup-dest",
  dest_port: "lookup-dest-port",
  at: "lookup-at",
  tolerance_s: "lookup-tolerance",
  reason: "lookup-reason",
};

const tolerances = [60, 300, 900, 1_800, 3_600];

interface Typed {
  address: string;
  port: number | undefined;
  dest: string;
  destPort: number | undefined;
  at: string | undefined;
  tolerance: number;
  reason: string;
}

const nothing: Typed = {
  address: "",
  port: undefined,
  dest: "",
  destPort: undefined,
  at: undefined,
  tolerance: 300,
  reason: "",
};

/** What is asked for; undefined while something is missing. */
export function lookupOf({ address, port, dest, destPort, at, tolerance, reason }: Typed): NewLookup | undefined {
  if (address.trim() === "" || at === undefined || reason.trim() === "") return undefined;
  return {
    address: address.trim(),
    ...(port !== undefined && { port }),
    ...(dest.trim() !== "" && { dest: dest.trim() }),
    ...(destPort !== undefined && { dest_port: destPort }),
    at,
    tolerance_s: tolerance,
    reason: reason.trim(),
  };
}

/** A complaint as it comes from a hoster: which address of the fleet, when, and what it was aimed at. */
export function LookupForm() {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const block = useBlock();
  const navigate = useNavigate();
  const ask = useLookup();
  const [typed, setTyped] = useState(nothing);
  const order = lookupOf(typed);
  const key = useRequestKey(typed);
  const wrong = fieldErrors(ask.error);
  const set = (change: Partial<Typed>) => setTyped((old) => ({ ...old, ...change }));
  useLeaveGuard(typed.reason.trim() !== "" && !ask.isPending && !ask.isSuccess);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!order || ask.isPending || block !== undefined) return;
    ask.mutate({ ...order, key });
  };
  // Once nothing typed is kept from being lost any more.
  const answered = ask.data?.id;
  useEffect(() => {
    if (answered) void navigate({ to: `/abuse/lookups/${answered}` });
  }, [answered, navigate]);
  const port = (id: string, label: string, value: number | undefined, onChange: (to: number | undefined) => void) => (
    <NumberInput
      id={id}
      label={label}
      min={1}
      max={65_535}
      allowDecimal={false}
      hideControls
      value={value ?? ""}
      onChange={(to) => onChange(to === "" ? undefined : Number(to))}
    />
  );
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems error={ask.error} fields={ids} />
      <div className={classes.withPort}>
        <TextInput
          id={ids.address}
          label={t("lookup.address")}
          description={t("lookup.addressHelp")}
          placeholder="203.0.113.7"
          maxLength={64}
          spellCheck={false}
          autoComplete="off"
          value={typed.address}
          onChange={(event) => set({ address: event.currentTarget.value })}
          error={wrong.address}
        />
        {port(ids.port, t("lookup.port"), typed.port, (to) => set({ port: to }))}
      </div>
      <div className={classes.pair}>
        <DateTimeField
          id={ids.at}
          label={t("lookup.at")}
          description={t("lookup.atHelp")}
          value={typed.at}
          onChange={(at) => set({ at })}
          error={wrong.at}
        />
        <Select
          id={ids.tolerance_s}
          label={t("lookup.tolerance")}
          allowDeselect={false}
          data={tolerances.map((value) => ({ value: String(value), label: `± ${format.span(value)}` }))}
          value={String(typed.tolerance)}
          onChange={(value) => set({ tolerance: Number(value) })}
          error={wrong.tolerance_s}
        />
      </div>
      <div className={classes.withPort}>
        <TextInput
          id={ids.dest}
          label={t("lookup.dest")}
          description={t("lookup.destHelp")}
          maxLength={253}
          spellCheck={false}
          autoComplete="off"
          value={typed.dest}
          onChange={(event) => set({ dest: event.currentTarget.value })}
          error={wrong.dest}
        />
        {port(ids.dest_port, t("lookup.port"), typed.destPort, (to) => set({ destPort: to }))}
      </div>
      <Textarea
        id={ids.reason}
        label={t("act.reason")}
        description={t("lookup.reasonHelp")}
        maxLength={500}
        autosize
        minRows={2}
        value={typed.reason}
        onChange={(event) => set({ reason: event.currentTarget.value })}
        error={wrong.reason}
      />
      <div>
        <Action
          kind="filled"
          type="submit"
          busy={ask.isPending}
          reason={block ?? (order ? undefined : t("lookup.missing"))}
        >
          {t("lookup.verb")}
        </Action>
      </div>
    </DialogForm>
  );
}
