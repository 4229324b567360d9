import { TextInput } from "@mantine/core";
import { IconArrowLeft, IconSend } from "@tabler/icons-react";
import { useState, type FormEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors, isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { ConflictNote } from "@/components/form/conflict-note";
import { FormProblems } from "@/components/form/form-problems";
import { SecretField } from "@/components/form/secret-field";
import { SetupBody, SetupFoot } from "@/components/layout/setup-frame";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import type { SettingsDocument } from "@/api/settings-document";
import type { SetupStepProps } from "@/module";
import { useTestMessenger } from "./api";
import { TestOutcome } from "./messenger-test";
import classes from "./notifications.module.css";
import { fieldsOf, isConfigured, useNotificationSettings, type Settings } from "./settings/settings-document";

/** The messenger of the first installation: token, chat, a test, or to leave it for later. */
export default function NotificationsSetupStep(props: SetupStepProps) {
  const { t } = useTranslation("notifications");
  const document = useNotificationSettings();
  const { data, error, refetch } = document.query;
  return (
    <SetupBody title={t("setup.title")} lead={t("setup.lead")}>
      {data ? (
        <Fields {...props} read={data} open={document} />
      ) : error ? (
        <>
          <ProblemView error={error} onRetry={() => void refetch()} />
          <Foot {...props} />
        </>
      ) : (
        <Skeleton rows={3} />
      )}
    </SetupBody>
  );
}

type FieldsProps = SetupStepProps & {
  read: SettingsDocument<Settings>;
  open: ReturnType<typeof useNotificationSettings>;
};

function Fields({ read, open: { query, save }, ...step }: FieldsProps) {
  const { t } = useTranslation("notifications");
  const { t: app } = useTranslation("app");
  const [token, setToken] = useState("");
  const [chat, setChat] = useState(read.settings.messenger.chat_id);
  const test = useTestMessenger();
  const { messenger } = read.settings;
  const dirty = token.trim() !== "" || chat.trim() !== messenger.chat_id;
  const errors = fieldErrors(save.error);
  const reason = step.readOnly ? app("block.readOnly") : undefined;
  const write = async (over: SettingsDocument<Settings>) => {
    const settings = { ...fieldsOf(over.settings, over), bot_token: token, chat_id: chat };
    await save.mutateAsync({ revision: over.revision, settings });
    setToken("");
  };
  const store = async () => {
    if (dirty) await write(read);
  };
  const takeTheirs = (now: SettingsDocument<Settings>) => {
    setToken("");
    setChat(now.settings.messenger.chat_id);
    save.reset();
  };
  const send = () =>
    void store().then(
      () => test.mutate(),
      () => undefined,
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const done = () => step.onDone(t("setup.result"));
    void store().then(done, () => undefined);
  };
  const missing = messenger.has_bot_token || token.trim() ? "setup-chat" : "setup-token";
  const complete = (messenger.has_bot_token || token.trim() !== "") && chat.trim() !== "";
  return (
    <form className={classes.setup} onSubmit={submit} noValidate>
      {isProblem(save.error, "revision_conflict") ? (
        <ConflictNote
          onTheirs={() => void query.refetch().then(({ data }) => data && takeTheirs(data))}
          onMine={() => void query.refetch().then(({ data }) => data && write(data).catch(() => undefined))}
          busy={save.isPending}
        />
      ) : (
        <FormProblems
          error={save.error}
          fields={{ "settings.bot_token": "setup-token", "settings.chat_id": "setup-chat" }}
        />
      )}
      <SecretField
        id="setup-token"
        label={t("settings.token")}
        description={t("settings.tokenHelp")}
        stored={messenger.has_bot_token}
        value={token}
        onChange={setToken}
        error={errors["settings.bot_token"]}
        disabled={step.readOnly}
      />
      <TextInput
        id="setup-chat"
        label={t("settings.chat")}
        description={t("settings.chatHelp")}
        value={chat}
        maxLength={64}
        spellCheck={false}
        onChange={(event) => setChat(event.currentTarget.value)}
        error={errors["settings.chat_id"]}
        disabled={step.readOnly}
      />
      <div className={classes.trial}>
        <Action icon={IconSend} onClick={send} busy={test.isPending || save.isPending} reason={reason}>
          {t("setup.test")}
        </Action>
        <span className="dim">{t("setup.testHelp")}</span>
      </div>
      <TestOutcome
        test={{ run: send, busy: test.isPending || save.isPending, sent: test.isSuccess, error: test.error }}
        missing={missing}
      />
      <Foot {...step} skip={!isConfigured(read.settings)}>
        <Action
          kind="filled"
          size="dialog"
          type="submit"
          busy={save.isPending}
          reason={reason ?? (complete ? undefined : t("test.missing"))}
        >
          {t("setup.continue")}
        </Action>
      </Foot>
    </form>
  );
}

function Foot({ onDone, onBack, skip = true, children }: SetupStepProps & { skip?: boolean; children?: ReactNode }) {
  const { t } = useTranslation("notifications");
  return (
    <SetupFoot
      back={
        onBack && (
          <Action kind="ghost" size="dialog" icon={IconArrowLeft} onClick={onBack}>
            {t("setup.back")}
          </Action>
        )
      }
    >
      {skip && (
        <Action size="dialog" onClick={() => onDone(t("setup.skipped"), true)}>
          {t("setup.skip")}
        </Action>
      )}
      {children}
    </SetupFoot>
  );
}
