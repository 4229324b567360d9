import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { asProblem } from "@/api/problem";
import { Segmented } from "@/components/form/segmented";
import { Card } from "@/components/layout/card";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { fieldText, problemText } from "@/text/problem-text";
import { previewQuery, unsavedQuery, type Locale, type Page, type PageParts } from "../api";
import classes from "../statuspage.module.css";
import { isLocale, languagesOf } from "./draft";

interface PreviewProps {
  page: Page;
  /** What is typed and not saved; empty: nothing. */
  unsaved: PageParts;
}

/** How long nobody types before the preview follows. */
const pause = 400;

/** The page as it would be published now, with what is typed. It runs no script and can load nothing. */
export function Preview({ page, unsaved }: PreviewProps) {
  const { t } = useTranslation("statuspage");
  const [typed] = useDebouncedValue(unsaved, pause);
  const { mode, languages, first } = shownOf(page, typed);
  const [chosen, setLocale] = useState<Locale>(first);
  const [theme, setTheme] = useState<"light" | "dark">(mode === "dark" ? "dark" : "light");
  const [width, setWidth] = useState<"wide" | "phone">("wide");
  const locale = languages.includes(chosen) ? chosen : first;
  const look = mode === "auto" ? theme : mode;
  const stored = Object.keys(typed).length === 0;
  const saved = useQuery({ ...previewQuery(page.id, page.revision, locale, look), enabled: stored });
  const unstored = useQuery({ ...unsavedQuery(page.id, typed, locale, look), enabled: !stored });
  const query = stored ? saved : unstored;
  const drawn = useLast(query.data);
  const state = viewState({ ...query, data: query.data ?? drawn });
  return (
    <Card title={t("preview.title")} aside={t(stored ? "preview.help" : "preview.unsaved")} flush>
      <div className={classes.previewBar}>
        {languages.length > 1 && (
          <Segmented
            label={t("preview.language")}
            value={locale}
            onChange={setLocale}
            options={languages.map((value) => ({ value, label: t(`language.${value}`) }))}
          />
        )}
        {mode === "auto" && (
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
          {query.error !== null && (
            <p className={classes.previewBehind} role="status">
              {t("preview.behind", { why: whyOf(query.error) })}
            </p>
          )}
          <Frame html={state.data} title={t("preview.title")} phone={width === "phone"} />
        </div>
      )}
    </Card>
  );
}

/** How the page looks with what is typed. */
function shownOf(page: Page, { change }: PageParts) {
  const first = change?.default_locale ?? page.default_locale;
  const locales = change?.locales ?? page.locales;
  return {
    first,
    mode: change?.theme?.mode ?? page.theme.mode,
    languages: languagesOf({ locales, default_locale: first }).filter(isLocale),
  };
}

/** The last one that was there: what cannot be drawn yet takes nothing from the screen. */
function useLast(data: string | undefined): string | undefined {
  const [last, setLast] = useState(data);
  if (data !== undefined && data !== last) setLast(data);
  return data ?? last;
}

function whyOf(error: unknown): string {
  const [field] = asProblem(error).fields;
  return field ? fieldText(field) : problemText(error);
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
