import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { Tag } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import { useBlock } from "../header";
import { schedulesQuery, useRemoveSchedule, type Schedule } from "./api";
import classes from "./external.module.css";
import { useRoubles } from "./money";
import { ScheduleDialog } from "./schedule-dialog";

type Open = { act: "new" } | { act: "edit" | "remove"; schedule: Schedule };

/** What is checked by the clock, and what each check may cost. */
export function SchedulesCard() {
  const { t } = useTranslation("health");
  const state = viewState(useQuery(schedulesQuery));
  const block = useBlock();
  const remove = useRemoveSchedule();
  const [open, setOpen] = useState<Open>();
  const close = () => {
    setOpen(undefined);
    remove.reset();
  };
  return (
    <Card
      title={t("external.schedules")}
      label={t("external.schedules")}
      right={
        <Action size="bar" icon={IconPlus} reason={block} onClick={() => setOpen({ act: "new" })}>
          {t("external.addSchedule")}
        </Action>
      }
      flush
    >
      {state.kind === "loading" && <Skeleton rows={2} />}
      {state.kind === "error" && (
        <ProblemView error={state.error} onRetry={state.retry} tried={t("external.loadFailed")} />
      )}
      {state.kind === "ready" && state.data.length === 0 && (
        <p className={classes.quiet}>{t("external.noSchedules")}</p>
      )}
      {state.kind === "ready" &&
        state.data.map((schedule) => (
          <ScheduleRow key={schedule.id} schedule={schedule} block={block} onOpen={setOpen} />
        ))}
      {open?.act === "new" && <ScheduleDialog onClose={close} />}
      {open?.act === "edit" && <ScheduleDialog schedule={open.schedule} onClose={close} />}
      <Confirm
        opened={open?.act === "remove"}
        onClose={close}
        onConfirm={() => open?.act === "remove" && remove.mutate(open.schedule.id, { onSuccess: close })}
        title={t("external.removeTitle", { name: open?.act === "remove" ? open.schedule.flow_name : "" })}
        verb={t("external.remove")}
        busy={remove.isPending}
        error={remove.error}
      >
        {t("external.removeText")}
      </Confirm>
    </Card>
  );
}

interface ScheduleRowProps {
  schedule: Schedule;
  block: string | undefined;
  onOpen: (open: Open) => void;
}

function ScheduleRow({ schedule, block, onOpen }: ScheduleRowProps) {
  const { t } = useTranslation("health");
  const roubles = useRoubles();
  const { flow_name: name, every_hours: hours, max_price: price, enabled, next_at: next, last_error: error } = schedule;
  return (
    <div className={classes.flow}>
      <span className={classes.what}>
        <span className="strong">{name}</span>
        <span className="soft">{t("external.every", { count: hours, price: roubles(price) })}</span>
        {error !== "" && <span className={classes.low}>{t("external.lastRefused", { code: error })}</span>}
      </span>
      {enabled ? (
        <span className="dim">
          {t("external.next")} <RelativeTime at={next} />
        </span>
      ) : (
        <Tag>{t("policy.off")}</Tag>
      )}
      <Action
        size="bar"
        reason={block}
        aria-label={t("external.changeNamed", { name })}
        onClick={() => onOpen({ act: "edit", schedule })}
      >
        {t("external.change")}
      </Action>
      <Action
        size="bar"
        reason={block}
        aria-label={t("external.removeNamed", { name })}
        onClick={() => onOpen({ act: "remove", schedule })}
      >
        {t("external.removeDots")}
      </Action>
    </div>
  );
}
