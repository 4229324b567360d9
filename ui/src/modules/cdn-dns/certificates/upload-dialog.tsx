import { FileButton, Modal, Textarea } from "@mantine/core";
import { IconFile } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { useClosing } from "@/components/form/use-closing";
import { toastDone } from "@/components/state/toast";
import classes from "../cdn-dns.module.css";
import { useUploadCertificate } from "./api";
import { pairFault, refusedPair, type Pair } from "./pair";

const none: Pair = { chain: "", key: "" };
const parts = ["chain", "key"] as const;

/** Takes a certificate of the operator's own, typed or from files. The key is written only. */
export function UploadDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("cdn-dns");
  const [pair, setPair] = useState(none);
  const [tried, setTried] = useState(false);
  const upload = useUploadCertificate();
  const close = useClosing((pair.chain !== "" || pair.key !== "") && !upload.isSuccess, onClose);
  const refused = fieldErrors(upload.error);
  const change = (part: keyof Pair, text: string) => {
    setPair((before) => ({ ...before, [part]: text }));
    upload.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const lacking = parts.find((part) => pairFault(part, pair[part]));
    if (lacking) return document.getElementById(`certificate-${lacking}`)?.focus();
    upload.mutate(pair, {
      onSuccess: ({ names }) => {
        toastDone(t("upload.done"), names.join(", "));
        onClose();
      },
    });
  };
  const errorOf = (part: keyof Pair) => {
    const fault = tried ? pairFault(part, pair[part]) : undefined;
    if (fault) return t(`upload.${fault}`);
    const said = refused[part];
    const known = said && refusedPair(said);
    return known ? t(`upload.refused.${known}`) : said;
  };
  return (
    <Modal opened onClose={close} title={t("upload.title")} size="lg">
      <DialogForm onSubmit={submit}>
        <FormProblems error={upload.error} fields={{ chain: "certificate-chain", key: "certificate-key" }} />
        <p className="soft">{t("upload.lead")}</p>
        {parts.map((part) => (
          <div key={part} className={classes.pem}>
            <Textarea
              id={`certificate-${part}`}
              label={t(`upload.${part}`)}
              description={t(`upload.${part}Help`)}
              placeholder={part === "chain" ? "-----BEGIN CERTIFICATE-----" : "-----BEGIN PRIVATE KEY-----"}
              value={pair[part]}
              rows={part === "chain" ? 6 : 4}
              autoComplete="off"
              spellCheck={false}
              data-autofocus={part === "chain" || undefined}
              classNames={{ input: classes.pemText }}
              onChange={(event) => change(part, event.currentTarget.value)}
              error={errorOf(part)}
            />
            <FileButton
              accept=".pem,.crt,.cer,.key,.txt"
              inputProps={{ "aria-label": t(`upload.${part}File`) }}
              onChange={(file) => void file?.text().then((text) => change(part, text))}
            >
              {(props) => (
                <Action {...props} size="bar" icon={IconFile}>
                  {t(`upload.${part}File`)}
                </Action>
              )}
            </FileButton>
          </div>
        ))}
        <DialogFoot>
          <Action size="dialog" onClick={close}>
            {t("cancel")}
          </Action>
          <Action size="dialog" kind="filled" type="submit" busy={upload.isPending}>
            {t("certificates.upload")}
          </Action>
        </DialogFoot>
      </DialogForm>
    </Modal>
  );
}
