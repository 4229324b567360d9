import { useQueries } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { flowQuery, type Share } from "../../shared/api";
import { useEditor } from "../editor-context";
import classes from "./form.module.css";

const none: readonly Share[] = [];

/** Says which flows have the same port of the node as an entry, and what tells them apart. */
export function SharedPort({ block }: { block: string }) {
  const { t } = useTranslation("flows");
  const { sharing = none } = useEditor();
  const here = sharing.filter((share) => share.block === block);
  const ids = [...new Set(here.map((share) => share.with.flow_id ?? ""))];
  const names = useQueries({ queries: ids.map((id) => ({ ...flowQuery(id), enabled: id !== "", retry: false })) });
  if (here.length === 0) return null;
  const nameOf = (id = "") => names[ids.indexOf(id)]?.data?.name ?? id.slice(-6);
  return (
    <ul className={classes.shared} aria-label={t("sharing.title")}>
      {here.map(({ by, host, port, with: other }) => (
        <li key={`${other.flow_id} ${other.listener}`}>
          {t(`sharing.${by}`, { port, host, name: nameOf(other.flow_id) })}
        </li>
      ))}
    </ul>
  );
}
