import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Glyph } from "@/components/status/glyph";
import { RelativeTime } from "@/components/text/relative-time";
import { scopesQuery, type Connection, type TokenScope } from "./api";
import { glyphs, isUsable, wordsOf } from "./causes";
import { ScopeGroups } from "./scopes-note";
import classes from "./proxypanel.module.css";
import { useSentences } from "./use-sentences";

/** What is wrong with a connection, what to do about it, and the scopes that its token lacks. */
export function Trouble({ connection }: { connection: Connection }) {
  const { t } = useTranslation("proxypanel");
  const { wrong, todo } = useSentences()(connection);
  const words = wordsOf(connection);
  if (connection.cause === "") return null;
  return (
    <div className={classes.trouble} data-usable={isUsable(connection) || undefined}>
      <Glyph kind={glyphs[connection.state]} size={14} />
      <div className={classes.words}>
        <p className="strong">{wrong}</p>
        <p className="soft">{todo}</p>
        <MissingScopes missing={connection.missing_scopes} />
        {words !== "" && <p className="dim">{t("details", { words })}</p>}
        {!isUsable(connection) && (
          <p className="dim">
            {connection.last_ok_at === null ? (
              t("neverWorked")
            ) : (
              <>
                {t("lastWorked")} <RelativeTime at={connection.last_ok_at} />
              </>
            )}
          </p>
        )}
      </div>
    </div>
  );
}

/** The scopes by what cannot be done without them; one that this page does not know counts as needed for reading. */
function MissingScopes({ missing }: { missing: string[] }) {
  const { t } = useTranslation("proxypanel");
  const known = useQuery({ ...scopesQuery, enabled: missing.length > 0 }).data ?? [];
  if (missing.length === 0) return null;
  const scopes = missing.map((scope): TokenScope => known.find((one) => one.scope === scope) ?? { scope, use: "read" });
  return (
    <div className={classes.scopes} role="group" aria-label={t("scopes.missing")}>
      <ScopeGroups scopes={scopes} missing />
    </div>
  );
}
