import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";

/** What reads the next page of a list; undefined at its end. */
export type More = { load: () => void; busy: boolean } | undefined;

/** Goes on with a list that was not read to its end. */
export function LoadMore({ more }: { more: More }) {
  const { t } = useTranslation("policies");
  if (!more) return null;
  return (
    <div>
      <Action busy={more.busy} onClick={more.load}>
        {t("loadMore")}
      </Action>
    </div>
  );
}
