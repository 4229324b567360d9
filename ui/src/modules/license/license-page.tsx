import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { licenseQuery, useWriteBlock } from "@/api/access";
import { viewState } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import { useActivate, useRefresh, useRemove } from "./api";
import { ActivateDialog } from "./activate-dialog";
import { LicenseView } from "./license-view";
import { RemoveDialog } from "./remove-dialog";

export default function LicensePage() {
  const { t } = useTranslation("license");
  const license = useQuery(licenseQuery);
  const [dialog, setDialog] = useState<"activate" | "remove">();
  const activate = useActivate();
  const refresh = useRefresh();
  const remove = useRemove();
  const block = useWriteBlock({ needs: "license.manage", whileReadOnly: true });
  const close = () => {
    setDialog(undefined);
    activate.reset();
    remove.reset();
  };
  const done = (title: string) => ({
    onSuccess: () => {
      close();
      toastDone(title);
    },
  });
  return (
    <>
      <LicenseView
        state={viewState(license)}
        block={block}
        onActivate={() => setDialog("activate")}
        onRemove={() => setDialog("remove")}
        refresh={{ run: () => refresh.mutate(undefined), busy: refresh.isPending, error: refresh.error }}
      />
      <ActivateDialog
        opened={dialog === "activate"}
        onClose={close}
        busy={activate.isPending}
        error={activate.error}
        onSubmit={(key) => activate.mutate(key, done(t("activated")))}
      />
      <RemoveDialog
        opened={dialog === "remove"}
        onClose={close}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(undefined, done(t("removed")))}
      />
    </>
  );
}
