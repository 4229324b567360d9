import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ActionLink } from "@/components/action/action";
import { PageHeader } from "@/components/layout/page-header";
import { SlotPart, useSlot } from "@/components/slots/slots";
import { EmptyState } from "@/components/state/states";
import { useLanguage } from "@/text/use-format";
import classes from "./settings.module.css";

/** One section at a time, with the list of all beside it; the address names the open one. */
export default function SettingsPage() {
  const { t } = useTranslation("settings");
  const language = useLanguage();
  const { section } = useParams({ strict: false }) as { section?: string };
  const sections = useSlot("settings");
  const open = section === undefined ? sections[0] : sections.find((entry) => entry.key === section);
  return (
    <>
      <PageHeader title={t("title")} />
      <div className={classes.screen}>
        <nav aria-label={t("sections")} className={classes.sections}>
          {sections.map((entry) => (
            <Link
              key={entry.key}
              to="/settings/{-$section}"
              params={{ section: entry.key }}
              className={classes.section}
              aria-current={entry === open ? "page" : undefined}
            >
              {entry.label[language]}
            </Link>
          ))}
        </nav>
        <div className={classes.stack}>
          {open && <SlotPart key={open.key} entry={open} props={{}} />}
          {!open && (
            <EmptyState title={t("unknown.title")} act={<ActionLink to="/settings">{t("unknown.act")}</ActionLink>}>
              {t("unknown.text")}
            </EmptyState>
          )}
        </div>
      </div>
    </>
  );
}
