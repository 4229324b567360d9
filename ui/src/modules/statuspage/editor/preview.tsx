import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Segmented } from "@/components/form/segmented";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { previewQuery, type Locale, type Page } from "../api";
import classes from "../statuspage.module.css";
import { isLocale, languagesOf } from "./draft";

interface PreviewProps {
  page: Page;
  /** Something is typed that is not saved, so that it cannot be seen here yet. */
  unsaved: boolean;
}

/** The page as it would be published now. It runs no script and can load nothing. */
export function Preview({ page, unsaved }: PreviewProps) {
  const { t } = useTranslation("statuspage");
  const languages = languagesOf(page).filter(isLocale);
  const [chosen, setLocale] = useState<Locale>(page.default_locale);
  const [theme, setTheme] = useState<"light" | "dark">(page.theme.mode === "dark" ? "dark" : "light");
  const [width, setWidth] = useState<"wide" | "phone">("wide");
  const locale = languages.includes(chosen) ? chosen : page.default_locale;
  const state = viewState(useQuery(previewQuery(page.id, page.revision, locale, theme)));
  return (
    <Card title={t("preview.title")} aside={unsaved ? t("preview.unsaved") : t("preview.help")} flush>
      <div className={classes.previewBar}>
        {languages.length > 1 && (
          <Segmented
            label={t("preview.language")}
            value={locale}
            onChange={setLocale}
            options={languages.map((value) => ({ value, label: t(`language.${value}`) }))}
          />
        )}
        {page.theme.mode === "auto" && (
          <Segmented
            label={t("preview.theme")}
            value={theme}
            onChange={setTheme}
            options={[
              { value: "light", label: t("mode.light") },
              { value: "dark", label: t("mode.dark") },
            ]}
          />
        )}
        <Segmented
          label={t("preview.width")}
          value={width}
          onChange={setWidth}
          options={[
            { value: "wide", label: t("preview.wide") },
            { value: "phone", label: t("preview.phone") },
          ]}
        />
      </div>
      {state.kind === "loading" && <Skeleton height={480} />}
      {state.kind === "error" && <ProblemView error={state.error} tried={t("preview.failed")} onRetry={state.retry} />}
      {state.kind === "ready" && (
        <div className={classes.previewGround}>
          <Frame html={state.data} title={t("preview.title")} phone={width === "phone"} />
        </div>
      )}
    </Card>
  );
}

function Frame({ html, title, phone }: { html: string; title: string; phone: boolean }) {
  const shown = useMemo(() => still(html), [html]);
  return <iframe className={classes.preview} data-phone={phone || undefined} title={title} sandbox="" srcDoc={shown} />;
}

/**
 * The page as it can be shown inside the panel: its styles are let in by the nonce of the panel, and its script, which
 * only tells how old the page is, is left out.
 */
export function still(html: string): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
  return html.replaceAll(/<script\b[^]*?<\/script>/g, "").replaceAll(/<style\b/g, `<style nonce="${nonce}"`);
}
