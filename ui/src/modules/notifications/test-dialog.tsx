import { Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Action, ActionLink } from "@/components/action/action";
import { DialogBody, DialogFoot } from "@/components/dialog/dialog-form";
import { ProblemNote } from "@/components/state/problem-view";
import { Spinner } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { useLanguage } from "@/text/use-format";
import { deliveryQuery, onItsWay, useTestChannel, type Channel, type Delivery } from "./api";
import classes from "./notifications.module.css";
import { stateGlyphs } from "./words";

/** Sends a test through a channel and follows its delivery to the end. */
export function TestDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("notifications");
  const { mutate, data, error, isPending } = useTestChannel();
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    mutate(channel.id);
  }, [mutate, channel.id]);
  const course = useQuery({ ...deliveryQuery(data?.id ?? ""), enabled: data !== undefined });
  const delivery = course.data ?? data;
  return (
    <Modal opened onClose={onClose} title={t("test.title", { name: channel.name })}>
      <DialogBody>
        {error && <ProblemNote error={error} />}
        {course.error && <ProblemNote error={course.error} />}
        {!delivery && !error && <Waiting />}
        {delivery && <Course delivery={delivery} />}
        <DialogFoot>
          <ActionLink size="dialog" to="/notifications/deliveries" search={{ channel: channel.id }}>
            {t("test.deliveries")}
          </ActionLink>
          <Action
            size="dialog"
            onClick={() => mutate(channel.id)}
            busy={isPending}
            reason={delivery && onItsWay(delivery.state) ? t("test.goesOn") : undefined}
          >
            {t("test.again")}
          </Action>
          <Action size="dialog" kind="filled" onClick={onClose} data-autofocus>
            {t("close")}
          </Action>
        </DialogFoot>
      </DialogBody>
    </Modal>
  );
}

function Waiting() {
  const { t } = useTranslation("notifications");
  return (
    <p className={classes.line} role="status">
      <Spinner /> {t("state.queued")}
    </p>
  );
}

/** Where the message is, how often it was tried, and why it did not arrive. */
export function Course({ delivery: { state, attempts, reason } }: { delivery: Delivery }) {
  const { t } = useTranslation("notifications");
  const language = useLanguage();
  return (
    <div className={classes.words} role="status">
      <span className={classes.line}>
        <Status kind={stateGlyphs[state]}>{t(`state.${state}`)}</Status>
        {attempts > 0 && <span className="dim">{t("deliveries.attempts", { count: attempts })}</span>}
      </span>
      <span>{t(`course.${state}`)}</span>
      {reason && <span className={classes.reason}>{reason[language]}</span>}
    </div>
  );
}
