import { ColorInput, FileButton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Segmented } from "@/components/form/segmented";
import { Card } from "@/components/layout/card";
import { toastDone, toastProblem } from "@/components/state/toast";
import { useLogo, type Page } from "../api";
import classes from "../statuspage.module.css";
import type { CardProps } from "./draft";

const swatches = ["#2563eb", "#0f766e", "#15803d", "#b45309", "#be123c", "#7c3aed", "#334155"];
const kinds = "image/png,image/jpeg,image/webp";

/** Colours and logo of the page. */
export function LookCard({ draft, set, block, wrong, page }: CardProps & { page: Page }) {
  const { t } = useTranslation("statuspage");
  return (
    <Card title={t("look")}>
      <div className={classes.stack}>
        <div>
          <div className={classes.label}>{t("mode.label")}</div>
          <fieldset className={classes.plain} disabled={block !== undefined}>
            <Segmented
              label={t("mode.label")}
              value={draft.mode}
              onChange={(mode) => set({ mode })}
              options={(["auto", "light", "dark"] as const).map((value) => ({ value, label: t(`mode.${value}`) }))}
            />
          </fieldset>
        </div>
        <ColorInput
          size="md"
          className={classes.narrow}
          label={t("accent")}
          description={t("accentHelp")}
          format="hex"
          withEyeDropper={false}
          swatches={swatches}
          disabled={block !== undefined}
          value={draft.accent}
          error={wrong["theme.accent"]}
          onChange={(accent) => set({ accent })}
        />
        <Logo page={page} block={block} />
      </div>
    </Card>
  );
}

/** The logo is stored at once: it is a file, not a field. */
function Logo({ page, block }: { page: Page; block: string | undefined }) {
  const { t } = useTranslation("statuspage");
  const logo = useLogo();
  const send = (file: File | undefined) =>
    logo.mutate(
      { id: page.id, file },
      {
        onSuccess: () => toastDone(t(file ? "logo.stored" : "logo.removed")),
        onError: (error) => toastProblem(t("logo.failed"), error),
      },
    );
  const has = Boolean(page.theme.logo_sha256);
  return (
    <div>
      <div className={classes.label}>{t("logo.label")}</div>
      <p className="soft">{t(has ? "logo.has" : "logo.help")}</p>
      <div className={classes.acts}>
        <FileButton accept={kinds} onChange={(file) => file && send(file)}>
          {(props) => (
            <Action {...props} reason={block} busy={logo.isPending}>
              {t(has ? "logo.replace" : "logo.choose")}
            </Action>
          )}
        </FileButton>
        {has && (
          <Action kind="ghost" reason={block} busy={logo.isPending} onClick={() => send(undefined)}>
            {t("logo.remove")}
          </Action>
        )}
      </div>
    </div>
  );
}
