import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/action/copy-button";
import { scopesQuery, type TokenScope } from "./api";
import classes from "./proxypanel.module.css";

const uses = ["read", "abuse", "provisioning"] as const;

/** The scopes that a token needs, by what they are for, to be ticked when the token is made. */
export function ScopesNote() {
  const { t } = useTranslation("proxypanel");
  const scopes = useQuery(scopesQuery).data;
  if (!scopes) return null;
  return (
    <details className={classes.more}>
      <summary>{t("scopes.title")}</summary>
      <div className={classes.scopes}>
        <ScopeGroups scopes={scopes} />
        <div>
          <CopyButton
            value={scopes.map(({ scope }) => scope).join("\n")}
            what={t("scopes.what")}
            kind="default"
            iconOnly={false}
          />
        </div>
      </div>
    </details>
  );
}

/** Scopes under what they are for. */
export function ScopeGroups({ scopes, missing = false }: { scopes: TokenScope[]; missing?: boolean }) {
  const { t } = useTranslation("proxypanel");
  const groups = uses.map((use) => ({ use, own: scopes.filter((scope) => scope.use === use) }));
  return groups
    .filter(({ own }) => own.length > 0)
    .map(({ use, own }) => (
      <div key={use}>
        <p className="dim">{t(missing ? `scopes.without.${use}` : `scopes.use.${use}`)}</p>
        <ul className={classes.tags}>
          {own.map(({ scope }) => (
            <li key={scope}>
              <code>{scope}</code>
            </li>
          ))}
        </ul>
      </div>
    ));
}
