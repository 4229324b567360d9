import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { IconUserPlus } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useWriteBlock } from "@/api/access";
import { Action, ActionLink } from "@/components/action/action";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { Segmented } from "@/components/form/segmented";
import { Skeleton } from "@/components/state/states";
import { usePhone } from "@/components/screen/use-phone";
import { useSearchState } from "@/components/screen/use-search";
import { DeleteAccountDialog } from "./delete-account-dialog";
import { accountsQuery, catalogueQuery, type Account } from "./api";
import { MatrixEditor } from "../permissions/matrix-editor";
import { People, type PeopleActs } from "./people";
import { ResetPasswordDialog } from "./reset-password-dialog";
import { StateDialog } from "./state-dialog";

const search = z.object({
  view: z.enum(["permissions", "people"]).optional().catch(undefined),
  edit: z.string().optional().catch(undefined),
  q: z.coerce.string().optional().catch(undefined),
});

export default function AccountsPage() {
  const { t } = useTranslation("accounts");
  const [place, setPlace] = useSearchState(search);
  const navigate = useNavigate();
  const phone = usePhone();
  const view = phone ? "people" : (place.view ?? "permissions");
  const list = useInfiniteQuery(accountsQuery(place.q && view === "people" ? { q: place.q } : {}));
  const catalogue = useQuery(catalogueQuery);
  const block = useWriteBlock({ needs: "accounts.manage" });
  const [act, setAct] = useState<{ kind: "reset" | "state" | "delete"; account: Account }>();
  const accounts = list.data?.pages.flatMap((page) => page.items);
  const total = list.data?.pages.at(-1)?.total ?? 0;
  const acts: PeopleActs = {
    reset: (account) => setAct({ kind: "reset", account }),
    state: (account) => setAct({ kind: "state", account }),
    remove: (account) => setAct({ kind: "delete", account }),
  };
  const of = (kind: NonNullable<typeof act>["kind"]) => (act?.kind === kind ? act.account : undefined);
  const close = () => setAct(undefined);
  const error = list.error ?? catalogue.error;
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={t("lead")}
        closed={block}
        actions={
          <>
            {!phone && (
              <Segmented
                label={t("views.label")}
                value={view}
                onChange={(next) =>
                  setPlace({ view: next === "people" ? "people" : undefined, edit: undefined, q: undefined })
                }
                options={[
                  { value: "permissions", label: t("views.permissions") },
                  { value: "people", label: t("views.people") },
                ]}
              />
            )}
            {block ? (
              <Action icon={IconUserPlus} reason={block}>
                {t("add")}
              </Action>
            ) : (
              <ActionLink to="/accounts/new" kind="filled" icon={IconUserPlus}>
                {t("add")}
              </ActionLink>
            )}
          </>
        }
      />
      {error && !(accounts && catalogue.data) ? (
        <ProblemView
          error={error}
          onRetry={() => void Promise.all([list.refetch(), catalogue.refetch()])}
          tried={t("loadFailed")}
        />
      ) : !accounts || !catalogue.data ? (
        <Skeleton rows={10} />
      ) : view === "people" ? (
        <People
          accounts={accounts}
          onAdd={block ? undefined : () => void navigate({ to: "/accounts/new" })}
          total={total}
          catalogue={catalogue.data}
          q={place.q}
          onQ={(q) => setPlace({ q })}
          acts={acts}
          more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
        />
      ) : (
        <MatrixEditor
          accounts={accounts}
          complete={!list.hasNextPage}
          catalogue={catalogue.data}
          edit={place.edit}
          onEdit={(edit) => setPlace({ edit })}
          more={
            list.hasNextPage
              ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage, total }
              : undefined
          }
        />
      )}
      <ResetPasswordDialog account={of("reset")} onClose={close} />
      <StateDialog account={of("state")} onClose={close} />
      <DeleteAccountDialog account={of("delete")} onClose={close} onDeleted={close} />
    </>
  );
}
