import { useTranslation } from "react-i18next";
import { useAccess, useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { ProblemNote } from "@/components/state/problem-view";
import { SaveBar } from "@/components/form/save-bar";
import type { Permission } from "./areas";
import classes from "../directory/accounts.module.css";
import type { Account } from "../directory/api";
import { Matrix } from "./matrix";
import { covers, isLastFull } from "./permissions";
import { usePermissionDraft } from "./use-permission-draft";
import { useAccountBlock } from "./use-rules";

interface MatrixEditorProps {
  accounts: Account[];
  /** All accounts are loaded. */
  complete: boolean;
  catalogue: Permission[];
  edit: string | undefined;
  onEdit: (id: string | undefined) => void;
  more: { load: () => void; busy: boolean; total: number } | undefined;
}

export function MatrixEditor({ accounts, complete, catalogue, edit, onEdit, more }: MatrixEditorProps) {
  const { t } = useTranslation(["accounts", "app"]);
  const chosen = accounts.find((account) => account.id === edit);
  const draft = usePermissionDraft(chosen, catalogue);
  const block = useWriteBlock({ needs: "accounts.manage" });
  const blockOf = useAccountBlock();
  const { permissions } = useAccess();
  const closed = chosen && blockOf(chosen);
  const some = catalogue.some(({ key }) => !covers(permissions, [key]));
  const hint = !chosen
    ? !block && t("matrix.hint")
    : (closed ??
      [t("matrix.editing", { name: chosen.username }), some && t("matrix.dashed")].filter(Boolean).join(" "));
  return (
    <>
      <Matrix
        accounts={accounts}
        catalogue={catalogue}
        chosen={chosen}
        draft={draft.held}
        onChange={draft.set}
        onChoose={onEdit}
        reason={closed}
        lastFull={chosen !== undefined && isLastFull(chosen, accounts, complete)}
      />
      {hint && <p className={classes.hint}>{hint}</p>}
      {more && (
        <div className={classes.more}>
          <span className="dim num">{t("app:table.shown", { shown: accounts.length, total: more.total })}</span>
          <Action size="bar" onClick={more.load} busy={more.busy}>
            {t("app:table.more")}
          </Action>
        </div>
      )}
      {draft.error !== null && <ProblemNote error={draft.error} />}
      <SaveBar changes={draft.changes} onSave={draft.save} onDiscard={draft.discard} busy={draft.busy}>
        {draft.summary}
      </SaveBar>
    </>
  );
}
