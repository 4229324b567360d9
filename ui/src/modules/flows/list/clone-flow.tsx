import { Modal, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { useClosing } from "@/components/form/use-closing";
import { useCloneFlow, type Flow } from "../shared/api";

/** A new flow with the drawing of another one; clients and versions stay where they are. */
export function CloneFlow({ flow, onClose }: { flow: Flow; onClose: () => void }) {
  const { t } = useTranslation("flows");
  const navigate = useNavigate();
  const clone = useCloneFlow();
  const [proposed] = useState(t("clone.name", { name: flow.name }).slice(0, 64));
  const [name, setName] = useState(proposed);
  const close = useClosing(name !== proposed && !clone.isPending && !clone.isSuccess, onClose);
  const short = name.trim().length < 3;
  return (
    <Modal opened onClose={close} title={t("clone.title", { name: flow.name })}>
      <DialogForm
        onSubmit={(event) => {
          event.preventDefault();
          if (short) return;
          clone.mutate(
            { id: flow.id, name: name.trim() },
            { onSuccess: (made) => void navigate({ to: `/flows/${made.id}` }) },
          );
        }}
      >
        <FormProblems error={clone.error} fields={{ "body.name": "clone-name" }} />
        <p className="soft">{t("clone.text")}</p>
        <TextInput
          id="clone-name"
          size="md"
          label={t("create.name")}
          value={name}
          maxLength={64}
          autoComplete="off"
          data-autofocus
          error={fieldErrors(clone.error).name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <DialogFoot>
          <Action size="dialog" onClick={close}>
            {t("cancel")}
          </Action>
          <Action
            size="dialog"
            kind="filled"
            type="submit"
            busy={clone.isPending}
            reason={short ? t("create.nameShort") : undefined}
          >
            {t("clone.act")}
          </Action>
        </DialogFoot>
      </DialogForm>
    </Modal>
  );
}
