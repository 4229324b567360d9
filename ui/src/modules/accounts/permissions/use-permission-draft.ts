import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { toastDone } from "@/components/state/toast";
import type { Permission } from "./areas";
import { useChangeAccount, type Account } from "../directory/api";
import { countOpened, difference, isFull, same } from "./permissions";

/** What an account would hold after saving. It belongs to one account; choosing another begins anew. */
export function usePermissionDraft(account: Account | undefined, catalogue: readonly Permission[]) {
  const { t } = useTranslation("accounts");
  const change = useChangeAccount();
  const [kept, setKept] = useState<{ id: string; held: string[] }>();
  const id = account?.id;
  useEffect(() => setKept((old) => (old?.id === id ? old : undefined)), [id]);
  const held = account && kept?.id === account.id ? kept.held : (account?.permissions ?? []);
  const keys = catalogue.map((permission) => permission.key);
  const { gained, lost } = difference(account?.permissions ?? [], held, keys);
  const dirty = account !== undefined && !same(held, account.permissions);
  const discard = () => {
    setKept(undefined);
    change.reset();
  };
  return {
    held,
    /** A family in place of all its keys changes what is stored, and no key of today. */
    changes: dirty ? Math.max(1, gained.length + lost.length) : 0,
    summary: useSummary(account, held, gained, lost, countOpened(held, keys)),
    busy: change.isPending,
    error: change.error,
    set: (next: string[]) => account && setKept({ id: account.id, held: next }),
    discard,
    save: () =>
      account &&
      change.mutate(
        { id: account.id, revision: account.revision, permissions: held },
        {
          onSuccess: () => {
            discard();
            toastDone(t("permissions.saved", { name: account.username }), t("permissions.savedText"));
          },
        },
      ),
  };
}

function useSummary(
  account: Account | undefined,
  held: string[],
  gained: string[],
  lost: string[],
  count: number,
): string {
  const { t } = useTranslation("accounts");
  const { account: me } = useAccess();
  const list = (keys: string[]) => (keys.length > 3 ? t("permissions.many", { count: keys.length }) : keys.join(", "));
  if (!account) return "";
  const what =
    isFull(held) && !isFull(account.permissions)
      ? t("permissions.getsFull")
      : isFull(account.permissions) && !isFull(held)
        ? t("permissions.losesFull", { count })
        : [
            gained.length > 0 && t("permissions.gains", { keys: list(gained) }),
            lost.length > 0 && t("permissions.loses", { keys: list(lost) }),
          ]
            .filter(Boolean)
            .join("; ");
  const own = account.id === me?.id && lost.length > 0 ? ` ${t("permissions.own")}` : "";
  return `${t("permissions.for", { name: account.username })}${what ? `: ${what}` : ""}. ${t("permissions.next")}${own}`;
}
