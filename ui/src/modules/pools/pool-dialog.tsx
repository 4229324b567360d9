import { Checkbox, NumberInput, Select, TextInput } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors, isProblem } from "@/api/problem";
import { useRequestKey } from "@/api/request-key";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { poolNamesQuery, useChangePool, useMakePool, type Pool } from "./api";
import { MemberAdder } from "./member-adder";
import { bodyOf, changesShape, entryOf, fallbacks, strategies, type MemberEntry, type PoolEntry } from "./pool-form";
import classes from "./pools.module.css";

interface PoolDialogProps {
  /** Left out for a new one. */
  pool?: Pool | undefined;
  onClose: () => void;
  onMade?: (id: string) => void;
}

/** Makes a pool or changes one. Draw it only while it is open. */
export function PoolDialog({ pool, onClose, onMade }: PoolDialogProps) {
  const { t } = useTranslation("pools");
  const title = pool ? t("form.editTitle", { name: pool.name }) : t("form.addTitle");
  return (
    <FormModal opened onClose={onClose} title={title} size="xl">
      <PoolForm pool={pool} onClose={onClose} onMade={onMade} />
    </FormModal>
  );
}

type Change = (change: Partial<PoolEntry>) => void;

function PoolForm({ pool, onClose, onMade }: PoolDialogProps) {
  const { t } = useTranslation("pools");
  const make = useMakePool();
  const change = useChangePool();
  const { error, isPending, isSuccess: made } = pool ? change : make;
  const [first] = useState(() => entryOf(pool));
  const [entry, setEntry] = useState(first);
  const [tried, setTried] = useState(false);
  const set: Change = (some) => setEntry((now) => ({ ...now, ...some }));
  const body = bodyOf(entry, pool?.health.sampling);
  const key = useRequestKey(body);
  const cancel = useTyped(JSON.stringify(first) !== JSON.stringify(entry) && !isPending && !made);
  const wrong = fieldErrors(error);
  const running = pool?.used_by_flows.filter((use) => use.installed) ?? [];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!body.name || isPending) return;
    const onSuccess = ({ id, name }: { id: string; name: string }) => {
      toastDone(t(pool ? "form.changed" : "form.made", { name }));
      onClose();
      onMade?.(id);
    };
    if (pool) change.mutate({ id: pool.id, body: { ...body, revision: pool.revision } }, { onSuccess });
    else make.mutate({ key, body }, { onSuccess });
  };
  return (
    <DialogForm onSubmit={submit}>
      <FormProblems error={error} fields={{ name: "pool-name", members: "pool-members" }} />
      <TextInput
        size="md"
        id="pool-name"
        data-autofocus
        autoComplete="off"
        maxLength={64}
        label={t("columns.name")}
        value={entry.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={
          (tried && !body.name && t("form.nameMissing")) ||
          (isProblem(error, "name_taken") && t("form.nameTaken")) ||
          wrong.name
        }
      />
      <div className={classes.pair}>
        <Select
          size="md"
          label={t("columns.strategy")}
          description={t(`strategyHelp.${entry.strategy}`)}
          allowDeselect={false}
          data={strategies.map((value) => ({ value, label: t(`strategy.${value}`) }))}
          value={entry.strategy}
          onChange={(strategy) => strategy && set({ strategy: strategy as PoolEntry["strategy"] })}
        />
        {entry.strategy === "sticky" && (
          <Select
            size="md"
            label={t("form.stickiness")}
            description={t("form.stickinessHelp")}
            allowDeselect={false}
            data={(["user", "source"] as const).map((value) => ({ value, label: t(`stickiness.${value}`) }))}
            value={entry.stickiness}
            onChange={(value) => value && set({ stickiness: value as "user" | "source" })}
          />
        )}
      </div>
      <Members entry={entry} set={set} error={wrong.members} />
      <FallbackFields pool={pool} entry={entry} set={set} error={wrong.fallback} />
      <HealthFields entry={entry} set={set} wrong={wrong} />
      {pool && running.length > 0 && changesShape(pool, entry) && (
        <p role="note">
          {t("form.rerenders", { count: running.length, names: running.map((use) => use.name).join(", ") })}
        </p>
      )}
      <DialogFoot>
        <Action size="dialog" onClick={cancel}>
          {t("cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={isPending}>
          {t(pool ? "form.save" : "form.verb")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

interface PartProps {
  entry: PoolEntry;
  set: Change;
}

function Members({ entry, set, error }: PartProps & { error: string | undefined }) {
  const { t } = useTranslation("pools");
  const put = (member: string, change: Partial<MemberEntry>) =>
    set({ members: entry.members.map((one) => (one.id === member ? { ...one, ...change } : one)) });
  return (
    <section aria-label={t("columns.members")} className={classes.stack}>
      <MemberAdder
        taken={entry.members.map((one) => one.id)}
        onAdd={(member) =>
          set({ members: [...entry.members, { ...member, weight: 1, priority: 0, enabled: true, drain: false }] })
        }
      />
      {error && <p role="alert">{error}</p>}
      <ul className={classes.members}>
        {entry.members.map((one) => (
          <li key={one.id} className={classes.member}>
            <Checkbox
              className={classes.memberName}
              label={one.name || one.id}
              description={one.kind === "flow" ? t("kind.flow") : undefined}
              aria-label={t("form.enabled", { name: one.name })}
              checked={one.enabled}
              onChange={(event) => put(one.id, { enabled: event.currentTarget.checked })}
            />
            <NumberInput
              label={t("columns.weight")}
              aria-label={t("form.weightOf", { name: one.name })}
              min={1}
              max={1000}
              allowDecimal={false}
              value={one.weight}
              onChange={(value) => put(one.id, { weight: Number(value) || 1 })}
            />
            <NumberInput
              label={t("columns.priority")}
              aria-label={t("form.priorityOf", { name: one.name })}
              min={0}
              max={1000}
              allowDecimal={false}
              value={one.priority}
              onChange={(value) => put(one.id, { priority: Number(value) || 0 })}
            />
            <Action
              iconOnly
              icon={IconTrash}
              onClick={() => set({ members: entry.members.filter(({ id }) => id !== one.id) })}
            >
              {t("form.removeMember", { name: one.name })}
            </Action>
          </li>
        ))}
      </ul>
    </section>
  );
}

function FallbackFields({
  pool,
  entry,
  set,
  error,
}: PartProps & { pool: Pool | undefined; error: string | undefined }) {
  const { t } = useTranslation("pools");
  const pools = useQuery({ ...poolNamesQuery, enabled: entry.fallback === "pool" }).data ?? [];
  return (
    <div className={classes.pair}>
      <Select
        size="md"
        label={t("columns.fallback")}
        description={t(`fallbackHelp.${entry.fallback}`)}
        allowDeselect={false}
        data={fallbacks.map((value) => ({ value, label: t(`fallback.${value}`) }))}
        value={entry.fallback}
        error={error}
        onChange={(value) => value && set({ fallback: value as PoolEntry["fallback"] })}
      />
      {entry.fallback === "member" && (
        <Select
          size="md"
          label={t("form.fallbackMember")}
          data={entry.members.map(({ id, name }) => ({ value: id, label: name }))}
          value={entry.fallbackMember}
          onChange={(fallbackMember) => set({ fallbackMember })}
        />
      )}
      {entry.fallback === "pool" && (
        <Select
          size="md"
          searchable
          label={t("form.fallbackPool")}
          data={pools.filter(({ id }) => id !== pool?.id).map(({ id, name }) => ({ value: id, label: name }))}
          value={entry.fallbackPool}
          onChange={(fallbackPool) => set({ fallbackPool })}
        />
      )}
    </div>
  );
}

const numbers = [
  ["interval", 10, 3600, "interval_s"],
  ["timeout", 1, 60, "timeout_s"],
  ["failures", 1, 20, "failure_threshold"],
  ["successes", 1, 20, "success_threshold"],
  ["maxRtt", 0, 60_000, "max_rtt_ms"],
  ["tolerance", 0, 1000, "tolerance"],
] as const;

function HealthFields({ entry, set, wrong }: PartProps & { wrong: Record<string, string | undefined> }) {
  const { t } = useTranslation("pools");
  const [open, setOpen] = useState(false);
  return (
    <section aria-label={t("form.health")} className={classes.stack}>
      <div>
        <Action aria-expanded={open} onClick={() => setOpen(!open)}>
          {t(open ? "form.lessHealth" : "form.moreHealth")}
        </Action>
      </div>
      {open && (
        <div className={classes.stack}>
          <TextInput
            size="md"
            label={t("form.probeUrl")}
            description={t("form.probeUrlHelp")}
            value={entry.probeUrl}
            error={wrong["health.probe_url"]}
            onChange={(event) => set({ probeUrl: event.currentTarget.value })}
          />
          <div className={classes.pair}>
            {numbers.map(([field, min, max, name]) => (
              <NumberInput
                key={field}
                size="md"
                label={t(`health.${field}`)}
                min={min}
                max={max}
                allowDecimal={false}
                value={entry[field]}
                error={wrong[`health.${name}`]}
                onChange={(value) => set({ [field]: Number(value) || min })}
              />
            ))}
            <NumberInput
              size="md"
              label={t("form.minHealthy")}
              min={0}
              max={1000}
              allowDecimal={false}
              value={entry.minHealthy}
              error={wrong.min_healthy}
              onChange={(value) => set({ minHealthy: Number(value) || 0 })}
            />
          </div>
        </div>
      )}
    </section>
  );
}
