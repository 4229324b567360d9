import { NumberInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ActDialog, type ActEffect, type ActResult } from "@/components/dialog/act-dialog";
import { drain, override, type Member, type Pool } from "./api";

interface MemberActProps {
  pool: Pool;
  member: Member;
  onClose: () => void;
}

/** The flows that an act hits. */
function useEffects(pool: Pool): ActEffect[] {
  const { t } = useTranslation("pools");
  const installed = pool.used_by_flows.filter((use) => use.installed);
  if (installed.length === 0) return [{ key: "none", text: t("act.noFlow") }];
  return installed.map((use) => ({
    key: use.flow_id,
    name: use.name,
    path: `/flows/${use.flow_id}`,
    text: t("act.flow"),
  }));
}

/** Does something to one member, and reads the pools again whatever came of it. */
function useRun(member: Member) {
  const { t } = useTranslation("pools");
  const queries = useQueryClient();
  return async (act: Promise<unknown>): Promise<ActResult[]> => {
    try {
      await act;
    } finally {
      await queries.invalidateQueries({ queryKey: ["pools"] });
    }
    return [{ id: member.id, name: member.name, ok: true, text: t("act.done") }];
  };
}

/** Leads all new traffic to one member for a while, or ends that. */
export function OverrideDialog({ pool, member, onClose }: MemberActProps) {
  const { t } = useTranslation("pools");
  const run = useRun(member);
  const [chosen] = useState(pool.override?.member_id === member.id);
  const [hours, setHours] = useState<number | string>(1);
  const count = Number(hours);
  const fits = Number.isInteger(count) && count >= 1 && count <= 168;
  const words = chosen ? "override_end" : "override";
  return (
    <ActDialog
      onClose={onClose}
      title={t(`act.${words}.title`, { name: member.name })}
      verb={t(`act.${words}.verb`)}
      effects={useEffects(pool)}
      undo={t(`act.${words}.undo`)}
      reason={chosen || fits ? undefined : t("act.override.missing")}
      words={{ done: () => t("act.done"), retry: () => t("act.retry") }}
      fields={
        !chosen && (
          <NumberInput
            size="md"
            data-autofocus
            label={t("act.override.hours")}
            min={1}
            max={168}
            allowDecimal={false}
            value={hours}
            onChange={setHours}
          />
        )
      }
      run={() => run(override(pool.id, chosen ? {} : { member_id: member.id, ttl_s: count * 3600 }))}
    >
      {t(`act.${words}.what`, { name: member.name, pool: pool.name })}
    </ActDialog>
  );
}

/** Gives a member no new traffic, or some again. */
export function DrainDialog({ pool, member, onClose }: MemberActProps) {
  const { t } = useTranslation("pools");
  const run = useRun(member);
  const [drains] = useState(member.drain);
  const others = pool.members.some(
    (one) =>
      one.id !== member.id && one.enabled && !one.drain && !one.withdrawn && !one.resting && one.state !== "down",
  );
  const words = drains ? "drain_end" : "drain";
  return (
    <ActDialog
      onClose={onClose}
      title={t(`act.${words}.title`, { name: member.name })}
      verb={t(`act.${words}.verb`)}
      danger={!drains && !others}
      typed={!drains && !others ? member.name : undefined}
      effects={useEffects(pool)}
      undo={t(`act.${words}.undo`)}
      words={{ done: () => t("act.done"), retry: () => t("act.retry") }}
      run={() => run(drain(pool.id, member.id, !drains))}
    >
      {t(!drains && !others ? "act.drain.last" : `act.${words}.what`, { name: member.name, pool: pool.name })}
    </ActDialog>
  );
}
