import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/dialog/confirm";
import { viewState } from "@/components/state/states";
import { tokensQuery, useRevokeToken, type ApiToken } from "../api";
import { CreateTokenDialog } from "./create-token-dialog";
import { TokensView } from "./tokens-view";

export default function TokensPage() {
  const { t } = useTranslation("security");
  const tokens = useQuery(tokensQuery);
  const revoke = useRevokeToken();
  const [creating, setCreating] = useState(false);
  const [leaving, setLeaving] = useState<ApiToken>();
  const close = () => {
    setLeaving(undefined);
    revoke.reset();
  };
  return (
    <>
      <TokensView state={viewState(tokens)} onCreate={() => setCreating(true)} onRevoke={setLeaving} />
      <CreateTokenDialog opened={creating} onClose={() => setCreating(false)} />
      <Confirm
        opened={leaving !== undefined}
        onClose={close}
        onConfirm={() => leaving && revoke.mutate(leaving.id, { onSuccess: close })}
        title={t("tokens.revokeTitle", { name: leaving?.name ?? "" })}
        verb={t("tokens.revoke")}
        busy={revoke.isPending}
        error={revoke.error}
      >
        {t("tokens.revokeText")}
      </Confirm>
    </>
  );
}
