import { Checkbox } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { Action } from "@/components/action/action";
import { CopyButton } from "@/components/action/copy-button";
import { DialogBody, DialogFoot } from "@/components/dialog/dialog-form";
import { saveFile } from "@/components/screen/save-file";
import { useFormat } from "@/text/use-format";
import classes from "./security.module.css";

/** The codes for a lost phone. They are never shown again, so the way on opens only after they were kept. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const { t } = useTranslation("security");
  const { account } = useAccess();
  const format = useFormat();
  const [kept, setKept] = useState(false);
  const heading = t("codes.file", {
    host: window.location.host,
    name: account?.username ?? "",
    date: format.date(new Date().toISOString()),
  });
  return (
    <DialogBody>
      <p className="soft">{t("codes.text")}</p>
      <div className={classes.sheet} data-print>
        <p className={classes.sheetHead}>{heading}</p>
        <ol className={`mono ${classes.codes}`} aria-label={t("codes.title")}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
      </div>
      <div className={classes.keep}>
        <Action
          icon={IconDownload}
          onClick={() => saveFile("panel-recovery-codes.txt", `${heading}\n\n${codes.join("\n")}\n`)}
        >
          {t("codes.download")}
        </Action>
        <CopyButton
          value={codes.join("\n")}
          what={t("codes.title")}
          iconOnly={false}
          kind="default"
          text={t("codes.copy")}
        />
        <Action icon={IconPrinter} onClick={() => window.print()}>
          {t("codes.print")}
        </Action>
      </div>
      <Checkbox
        size="xs"
        checked={kept}
        onChange={(event) => setKept(event.currentTarget.checked)}
        label={t("codes.kept")}
      />
      <DialogFoot>
        <Action size="dialog" kind="filled" onClick={onDone} reason={kept ? undefined : t("codes.keepFirst")}>
          {t("done")}
        </Action>
      </DialogFoot>
    </DialogBody>
  );
}
