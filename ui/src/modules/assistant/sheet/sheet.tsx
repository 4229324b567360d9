import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { Menu } from "@mantine/core";
import { IconChecklist, IconSettings, IconTrash, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { Confirm } from "@/components/dialog/confirm";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { useLanguage } from "@/text/use-format";
import { stateQuery, useForget, type State } from "../api";
import { HelperView } from "../helper/helper-view";
import classes from "./sheet.module.css";
import { Talk } from "./talk";

/** The assistant beside the page: its answers, its proposals, and the set-up of notifications step by step. */
export default function AssistantSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("assistant");
  const page = useLocation().pathname;
  const state = useQuery({ ...stateQuery(page, useLanguage()), placeholderData: (known) => known });
  const [settingUp, setSettingUp] = useState(false);
  return (
    <>
      <header className={classes.head}>
        <h2 className={classes.title}>{t("title")}</h2>
        {state.data && <Engine model={state.data.model} />}
        <SheetMenu onSetUp={() => setSettingUp(true)} />
        <Action kind="ghost" icon={IconX} iconOnly onClick={onClose}>
          {t("close")}
        </Action>
      </header>
      {state.data ? (
        settingUp ? (
          <HelperView held={state.data.helper} readOnly={state.data.read_only} onBack={() => setSettingUp(false)} />
        ) : (
          <Talk state={state.data} page={page} onSetUp={() => setSettingUp(true)} onFollow={onClose} />
        )
      ) : state.error ? (
        <div className={classes.notice}>
          <ProblemView error={state.error} tried={t("loadFailed")} onRetry={() => void state.refetch()} />
        </div>
      ) : (
        <Skeleton rows={4} />
      )}
    </>
  );
}

/** Who answers: the panel itself, or a model outside it. */
function Engine({ model }: { model: State["model"] }) {
  const { t } = useTranslation("assistant");
  return (
    <span className={classes.engine} title={t(model.on ? "engine.modelHelp" : "engine.builtInHelp")}>
      {model.on ? model.name : t("engine.builtIn")}
    </span>
  );
}

function SheetMenu({ onSetUp }: { onSetUp: () => void }) {
  const { t } = useTranslation("assistant");
  const forget = useForget();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <RowMenu name={t("title")}>
        <Menu.Item leftSection={<IconChecklist size={15} />} onClick={onSetUp}>
          {t("helper.title")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconSettings size={15} />}
          renderRoot={(props) => <Link to="/settings/{-$section}" params={{ section: "assistant" }} {...props} />}
        >
          {t("settings.open")}
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={15} />} onClick={() => setAsking(true)}>
          {t("forget.all")}
        </Menu.Item>
      </RowMenu>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => forget.mutate(undefined, { onSuccess: () => setAsking(false) })}
        title={t("forget.title")}
        verb={t("forget.verb")}
        busy={forget.isPending}
        error={forget.error}
      >
        {t("forget.text")}
      </Confirm>
    </>
  );
}
