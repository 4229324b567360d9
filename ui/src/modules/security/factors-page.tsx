import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { factorsQuery, type Passkey } from "./api";
import { AppCard, type AppAct } from "./app-card";
import { EnrolDialog } from "./enrol-dialog";
import { PasskeyDialog } from "./passkey-dialog";
import { PasskeysCard } from "./passkeys-card";
import { RemoveAppDialog } from "./remove-app-dialog";
import { RemovePasskeyDialog } from "./remove-passkey-dialog";
import { RenamePasskeyDialog } from "./rename-passkey-dialog";
import { RenewCodesDialog } from "./renew-codes-dialog";
import { SecurityHeader } from "./security-header";
import classes from "./security.module.css";

export default function FactorsPage() {
  const { t } = useTranslation("security");
  const factors = useQuery(factorsQuery);
  const [act, setAct] = useState<AppAct | "passkey">();
  const [leaving, setLeaving] = useState<Passkey>();
  const [renaming, setRenaming] = useState<Passkey>();
  const close = () => setAct(undefined);
  return (
    <>
      <SecurityHeader current="factors" lead={t("factors.lead")} />
      {factors.data ? (
        <div className={classes.stack}>
          <AppCard factors={factors.data} onAct={setAct} />
          <PasskeysCard
            passkeys={factors.data.passkeys}
            onAdd={() => setAct("passkey")}
            onRename={setRenaming}
            onRemove={setLeaving}
          />
        </div>
      ) : factors.error ? (
        <ProblemView error={factors.error} onRetry={() => void factors.refetch()} />
      ) : (
        <Skeleton rows={6} />
      )}
      <EnrolDialog opened={act === "enrol"} onClose={close} />
      <RenewCodesDialog opened={act === "renew"} onClose={close} />
      <RemoveAppDialog opened={act === "remove"} onClose={close} />
      <PasskeyDialog opened={act === "passkey"} onClose={close} />
      <RenamePasskeyDialog passkey={renaming} onClose={() => setRenaming(undefined)} />
      <RemovePasskeyDialog passkey={leaving} onClose={() => setLeaving(undefined)} />
    </>
  );
}
