import { Menu } from "@mantine/core";
import { IconActivityHeartbeat, IconPlus, IconRocket } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { Confirm } from "@/components/dialog/confirm";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import { useRemovePage, type Page } from "../api";
import { DeployDialog } from "../publish/deploy-dialog";
import { StatusPageHeader, useBlock, useChosenPage } from "../shared/header";
import { localText } from "../shared/localised";
import { Editor } from "./editor";
import { NewPageDialog } from "./new-page-dialog";

/** The editor of a status page, with the page as readers will see it beside. */
export default function StatusPagePage() {
  const { t } = useTranslation("statuspage");
  const block = useBlock();
  const chosen = useChosenPage();
  const [open, setOpen] = useState<"new" | "deploy" | "remove">();
  const close = () => setOpen(undefined);
  const data = chosen.kind === "ready" ? chosen.data : undefined;
  const page = data?.page;
  const add = (
    <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setOpen("new")}>
      {t("create")}
    </Action>
  );
  return (
    <>
      <StatusPageHeader
        current="editor"
        chosen={data}
        actions={
          page && (
            <>
              <RowMenu name={localText(page.titles, page.default_locale)}>
                <Menu.Item disabled={block !== undefined} title={block} onClick={() => setOpen("new")}>
                  {t("addPage")}
                </Menu.Item>
                <Menu.Divider />
                <Menu.Item color="red" disabled={block !== undefined} title={block} onClick={() => setOpen("remove")}>
                  {t("removePage.menu")}
                </Menu.Item>
              </RowMenu>
              <Action kind="filled" icon={IconRocket} reason={block} onClick={() => setOpen("deploy")}>
                {t("publish")}
              </Action>
            </>
          )
        }
      />
      {chosen.kind === "loading" && <Skeleton rows={8} />}
      {chosen.kind === "error" && <ProblemView error={chosen.error} tried={t("loadFailed")} onRetry={chosen.retry} />}
      {chosen.kind === "ready" && !page && (
        <EmptyState icon={IconActivityHeartbeat} title={t("none")} act={add}>
          {t("noneText")}
        </EmptyState>
      )}
      {page && <Editor key={page.id} page={page} block={block} />}
      {open === "new" && <NewPageDialog onClose={close} onMade={(id) => page && data?.choose(id)} />}
      {open === "deploy" && page && <DeployDialog page={page} onClose={close} />}
      {open === "remove" && page && <RemovePage page={page} onClose={close} />}
    </>
  );
}

function RemovePage({ page, onClose }: { page: Page; onClose: () => void }) {
  const { t } = useTranslation("statuspage");
  const remove = useRemovePage();
  const name = localText(page.titles, page.default_locale);
  const onSuccess = () => {
    toastDone(t("removePage.done", { name }));
    onClose();
  };
  return (
    <Confirm
      opened
      onClose={onClose}
      onConfirm={() => remove.mutate(page.id, { onSuccess })}
      title={t("removePage.title", { name })}
      verb={t("removePage.verb")}
      typed={page.slug}
      busy={remove.isPending}
      error={remove.error}
      consequences={[t("removePage.history"), t("removePage.stays")]}
    />
  );
}
