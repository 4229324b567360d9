import { IconDownload, IconEye, IconSend } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { ProblemNote } from "@/components/state/problem-view";
import { Segmented } from "@/components/form/segmented";
import { useFormat, useLanguage } from "@/text/use-format";
import { periods, type Manifest, type Period } from "./api";
import classes from "./diagnostics.module.css";

interface Act {
  run: () => void;
  busy: boolean;
}

export interface Bundle {
  period: Period;
  choose: (period: Period) => void;
  block: string | undefined;
  manifest: Manifest | undefined;
  preview: Act;
  download: Act;
  send: Act;
  error: unknown;
}

/** One file for somebody who helps: its period, what is in it, and where it goes. */
export function BundleCard({ bundle, upload }: { bundle: Bundle; upload: boolean }) {
  const { t } = useTranslation("diagnostics");
  const { period, choose, block, manifest, preview, download, send, error } = bundle;
  return (
    <Card title={t("bundle.title")}>
      <div className={classes.block}>
        <p className="soft">{t("bundle.text")}</p>
        <Segmented
          label={t("bundle.period")}
          value={period}
          onChange={choose}
          options={periods.map((value) => ({ value, label: t(`bundle.period_${value}`) }))}
        />
        {error !== null && error !== undefined && <ProblemNote error={error} />}
        <div className={classes.acts}>
          <Action icon={IconDownload} kind="filled" onClick={download.run} busy={download.busy} reason={block}>
            {t("bundle.download")}
          </Action>
          <Action icon={IconEye} onClick={preview.run} busy={preview.busy} reason={block}>
            {t("bundle.preview")}
          </Action>
          {upload && (
            <Action icon={IconSend} onClick={send.run} busy={send.busy} reason={block}>
              {t("bundle.send")}
            </Action>
          )}
        </div>
        {manifest && <Inside manifest={manifest} />}
      </div>
    </Card>
  );
}

function Inside({ manifest }: { manifest: Manifest }) {
  const { t } = useTranslation("diagnostics");
  const language = useLanguage();
  const format = useFormat();
  const masked = Object.values(manifest.masked).reduce((sum, count) => sum + count, 0);
  return (
    <div className={classes.inside} aria-live="polite">
      <p className="strong">{t("bundle.masked", { count: masked })}</p>
      <ul aria-label={t("bundle.files")}>
        {manifest.files.map((file) => (
          <li key={file.name}>
            <span className="mono">{file.name}</span>
            <span className="dim num">{format.bytes(file.bytes)}</span>
          </li>
        ))}
      </ul>
      {manifest.missing.length > 0 && (
        <>
          <p className="dim">{t("bundle.missing")}</p>
          <ul aria-label={t("bundle.missing")}>
            {manifest.missing.map((one) => (
              <li key={one.name}>
                <span className="mono">{one.name}</span>
                <span className="dim">{one.translations[language]?.why ?? one.why}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
