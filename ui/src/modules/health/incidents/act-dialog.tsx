import { Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/dialog/confirm";
import { useIncidentAct, type Act, type IncidentDetail } from "./api";

const longestNote = 500;

/** Asks for a note before somebody takes an incident on, or closes it. */
export function ActDialog({ act, incident, onClose }: { act: Act; incident: IncidentDetail; onClose: () => void }) {
  const { t } = useTranslation("health");
  const [note, setNote] = useState("");
  const send = useIncidentAct(incident.id);
  return (
    <Confirm
      opened
      danger={false}
      onClose={onClose}
      onConfirm={() => send.mutate({ act, note: note.trim() }, { onSuccess: onClose })}
      title={t(`incident.${act}.title`)}
      verb={t(`incident.${act}.verb`)}
      busy={send.isPending}
      error={send.error}
    >
      <p>{t(`incident.${act}.text`)}</p>
      {act === "resolve" && incident.suffering > 0 && (
        <p>{t("incident.resolve.suffering", { count: incident.suffering })}</p>
      )}
      <Textarea
        label={t("incident.note")}
        maxLength={longestNote}
        autosize
        minRows={2}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </Confirm>
  );
}
