import { Modal, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogBody, DialogFoot } from "@/components/dialog/dialog-form";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { useLanguage } from "@/text/use-format";
import { previewQuery, type Preview } from "../api";
import classes from "../assistant.module.css";

/** All that a question would send out of the panel, word by word, before anything is sent. */
export function PreviewDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("assistant");
  const language = useLanguage();
  const [text, setText] = useState(t("preview.example"));
  const [asked, setAsked] = useState(text);
  const preview = useQuery(previewQuery({ text: asked, language, page: "/" }));
  return (
    <Modal opened onClose={onClose} title={t("preview.title")} size="lg">
      <DialogBody>
        <form
          className={classes.example}
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== "") setAsked(text.trim());
          }}
        >
          <TextInput
            label={t("preview.question")}
            value={text}
            maxLength={1000}
            data-autofocus
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Action type="submit" size="dialog" busy={preview.isFetching}>
            {t("preview.show")}
          </Action>
        </form>
        {preview.data ? (
          <Sends preview={preview.data} />
        ) : preview.error ? (
          <ProblemView error={preview.error} onRetry={() => void preview.refetch()} />
        ) : (
          <Skeleton rows={5} />
        )}
        <DialogFoot>
          <Action size="dialog" onClick={onClose}>
            {t("preview.close")}
          </Action>
        </DialogFoot>
      </DialogBody>
    </Modal>
  );
}

function Sends({ preview: { address, masked, sends, tools } }: { preview: Preview }) {
  const { t } = useTranslation("assistant");
  return (
    <div className={classes.sends}>
      <p>
        {t("preview.to")} <code>{address || t("preview.nowhere")}</code>
      </p>
      <p className="soft">
        {t("preview.masked", { what: masked.map((word) => t(`preview.mask.${word}`)).join(", ") })}
      </p>
      {sends.map(({ role, text }, index) => (
        <section key={index} aria-label={t(`preview.role.${role}`)}>
          <h3 className={classes.label}>{t(`preview.role.${role}`)}</h3>
          {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
          <pre className={classes.sent} tabIndex={0}>
            {text}
          </pre>
        </section>
      ))}
      <h3 className={classes.label}>{t("preview.tools")}</h3>
      <ul className={classes.tools}>
        {tools.map(({ name, about, reads }) => (
          <li key={name}>
            {about} <code>{reads.join(", ")}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
