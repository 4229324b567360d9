import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Confirm } from "@/components/dialog/confirm";
import { viewState } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import { panelQuery, useCheck, useInstall, useReturn } from "./api";
import { PanelView } from "./panel-view";

export function PanelPart() {
  const { t } = useTranslation("updates");
  const updates = useQuery(panelQuery);
  const [dialog, setDialog] = useState<"install" | "return">();
  const check = useCheck();
  const install = useInstall();
  const back = useReturn();
  const block = useWriteBlock({ needs: "settings.manage", whileReadOnly: true });
  const offered = updates.data?.available;
  const rollback = updates.data?.rollback;
  const close = () => {
    setDialog(undefined);
    install.reset();
    back.reset();
  };
  const done = (title: string) => ({
    onSuccess: () => {
      close();
      toastDone(title);
    },
  });
  return (
    <>
      <PanelView
        state={viewState(updates)}
        block={block}
        check={{ run: () => check.mutate(undefined), busy: check.isPending, error: check.error }}
        onInstall={() => setDialog("install")}
        onReturn={() => setDialog("return")}
      />
      <Confirm
        opened={dialog === "install" && !!offered}
        onClose={close}
        onConfirm={() => offered && install.mutate(offered.version, done(t("panel.begun")))}
        busy={install.isPending}
        error={install.error}
        danger={false}
        title={t("panel.installTitle", { version: offered?.version })}
        verb={t("panel.install")}
        consequences={[
          t("panel.installSet"),
          t("panel.installBreak"),
          t("panel.installBack"),
          t("panel.installTraffic"),
        ]}
      >
        {offered?.breaking ? t("panel.breaking") : undefined}
      </Confirm>
      <Confirm
        opened={dialog === "return"}
        onClose={close}
        onConfirm={() => back.mutate(undefined, done(t("panel.begunBack")))}
        busy={back.isPending}
        error={back.error}
        typed={rollback?.version}
        title={t("panel.returnTitle", { version: rollback?.version })}
        verb={t("panel.return")}
        consequences={
          rollback?.restores_database
            ? [t("panel.returnData"), t("panel.installTraffic")]
            : [t("panel.returnKeeps"), t("panel.installTraffic")]
        }
      />
    </>
  );
}
