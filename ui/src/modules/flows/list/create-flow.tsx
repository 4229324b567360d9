import { Modal, NumberInput, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { FormProblems } from "@/components/form/form-problems";
import { useClosing } from "@/components/form/use-closing";
import { useCreateFlow } from "../shared/api";
import dialog from "../shared/dialogs.module.css";
import { NodeSelect } from "../shared/node-select";
import { drawingOf, needsExit, templates, type Template } from "./templates";

/** A new flow: its name, and what its drawing starts with. */
export function CreateFlow({ start, onClose }: { start: Template; onClose: () => void }) {
  const { t } = useTranslation("flows");
  const navigate = useNavigate();
  const create = useCreateFlow();
  const [name, setName] = useState("");
  const [template, setTemplate] = useState<Template>(start);
  const [entry, setEntry] = useState<string | null>(null);
  const [exit, setExit] = useState<string | null>(null);
  const [target, setTarget] = useState("");
  const [port, setPort] = useState<number | string>("");
  const [tried, setTried] = useState(false);
  const short = name.trim().length < 3;
  const typed = [name, entry, exit, target, port].some(Boolean);
  const close = useClosing(typed && !create.isPending && !create.isSuccess, onClose);
  const errors = fieldErrors(create.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (short) return;
    const graph = drawingOf({
      template,
      entry: entry ?? undefined,
      exit: exit ?? undefined,
      target: target.trim(),
      port: port === "" ? undefined : Number(port),
    });
    create.mutate(
      { name: name.trim(), ...(graph && { graph }) },
      { onSuccess: (flow) => void navigate({ to: `/flows/${flow.id}` }) },
    );
  };
  return (
    <Modal opened onClose={close} title={t("create.title")}>
      <form className={dialog.body} onSubmit={submit} noValidate>
        <FormProblems error={create.error} fields={{ "body.name": "new-flow-name" }} />
        <TextInput
          id="new-flow-name"
          size="md"
          label={t("create.name")}
          value={name}
          maxLength={64}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
          error={errors.name ?? (tried && short ? t("create.nameShort") : undefined)}
        />
        <fieldset style={{ border: 0, margin: 0, padding: 0 }}>
          <legend className="strong" style={{ marginBottom: 6 }}>
            {t("create.start")}
          </legend>
          <div className={dialog.cards}>
            {templates.map((item) => (
              <label key={item} className={dialog.card} htmlFor={`template-${item}`}>
                <input
                  id={`template-${item}`}
                  type="radio"
                  name="template"
                  aria-label={t(`template.${item}.title`)}
                  checked={template === item}
                  onChange={() => setTemplate(item)}
                />
                <span>
                  <span className="strong">{t(`template.${item}.title`)}</span>
                  <p>{t(`template.${item}.text`)}</p>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
        {template !== "blank" && (
          <div className={dialog.two}>
            <NodeSelect
              label={t(needsExit(template) ? "create.entry" : "create.server")}
              value={entry}
              onChange={setEntry}
            />
            {needsExit(template) && <NodeSelect label={t("create.exit")} value={exit} onChange={setExit} />}
            <NumberInput
              label={t("field.port")}
              placeholder={template === "shadowsocks" ? "8388" : "443"}
              hideControls
              min={1}
              max={65535}
              allowDecimal={false}
              value={port}
              onChange={setPort}
            />
            {template !== "shadowsocks" && (
              <TextInput
                label={t("field.target")}
                placeholder="www.example.org:443"
                value={target}
                spellCheck={false}
                onChange={(event) => setTarget(event.currentTarget.value)}
              />
            )}
          </div>
        )}
        <div className={dialog.foot}>
          <span className="dim">{t("create.nothing")}</span>
          <Action size="dialog" onClick={close}>
            {t("cancel")}
          </Action>
          <Action size="dialog" kind="filled" type="submit" busy={create.isPending}>
            {t("create.act")}
          </Action>
        </div>
      </form>
    </Modal>
  );
}
