import { TagsInput, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { Card, Facts } from "@/components/layout/card";
import { CopyButton } from "@/components/action/copy-button";
import { FormProblems } from "@/components/form/form-problems";
import { SaveBar } from "@/components/form/save-bar";
import { toastDone } from "@/components/state/toast";
import { sentence } from "@/text/sentence";
import { useFormat } from "@/text/use-format";
import { FlowActDialog } from "../acts/flow-act-dialog";
import { leftOut, type FlowAct } from "../acts/flow-effects";
import { useChangeFlow } from "../shared/api";
import { useEditor } from "./editor-context";
import editor from "./editor.module.css";
import classes from "./settings.module.css";

/** What a flow is called, whether it serves, and its end. */
export default function SettingsTab() {
  return (
    <div className={`${editor.page} ${classes.page}`}>
      <Names />
      <Serving />
      <About />
      <Ending />
    </div>
  );
}

function Names() {
  const { t } = useTranslation("flows");
  const { flow, closed } = useEditor();
  const change = useChangeFlow();
  const [edited, setEdited] = useState<{ name?: string; description?: string; tags?: string[] }>({});
  const now = { name: flow.name, description: flow.description, tags: flow.tags, ...edited };
  const changes = [
    edited.name !== undefined && edited.name !== flow.name,
    edited.description !== undefined && edited.description !== flow.description,
    edited.tags !== undefined && edited.tags.join() !== flow.tags.join(),
  ].filter(Boolean).length;
  const errors = fieldErrors(change.error);
  const set = (part: typeof edited) => setEdited({ ...edited, ...part });
  const save = () =>
    change.mutate(
      { id: flow.id, revision: flow.revision, ...edited },
      {
        onSuccess: () => {
          setEdited({});
          toastDone(t("settings.saved"));
        },
      },
    );
  const disabled = closed !== undefined;
  return (
    <div>
      <Card title={t("settings.general")}>
        <div className={classes.form}>
          <FormProblems
            error={change.error}
            fields={{ "body.name": "flow-name", "body.description": "flow-description", "body.tags": "flow-tags" }}
          />
          <TextInput
            id="flow-name"
            label={t("settings.name")}
            maxLength={64}
            value={now.name}
            disabled={disabled}
            error={errors.name ?? (now.name.trim().length < 3 ? t("create.nameShort") : undefined)}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <Textarea
            id="flow-description"
            label={t("settings.description")}
            maxLength={1000}
            autosize={false}
            rows={3}
            value={now.description}
            disabled={disabled}
            error={errors.description}
            onChange={(event) => set({ description: event.currentTarget.value })}
          />
          <TagsInput
            id="flow-tags"
            label={t("settings.tags")}
            maxTags={20}
            splitChars={[",", " "]}
            value={now.tags}
            disabled={disabled}
            error={errors.tags}
            onChange={(tags) => set({ tags })}
          />
        </div>
      </Card>
      <SaveBar
        changes={changes}
        onSave={save}
        onDiscard={() => setEdited({})}
        busy={change.isPending}
        reason={closed ?? (now.name.trim().length < 3 ? t("create.nameShort") : undefined)}
      />
    </div>
  );
}

function Serving() {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const install = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const [asking, setAsking] = useState(false);
  const act: FlowAct = flow.enabled ? "disable" : "enable";
  const left = leftOut(act, flow);
  return (
    <Card title={t("settings.serving")}>
      <div className={classes.line}>
        <p className="soft">{t(flow.enabled ? "settings.servingText" : "settings.stoppedText")}</p>
        <Action
          kind={flow.enabled ? "danger" : "default"}
          reason={install ?? (left && sentence(t(left)))}
          onClick={() => setAsking(true)}
        >
          {t(`act.${act}.verb`)}…
        </Action>
      </div>
      {asking && <FlowActDialog act={act} flows={[flow]} onClose={() => setAsking(false)} />}
    </Card>
  );
}

function About() {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const format = useFormat();
  return (
    <Card title={t("settings.about")}>
      <Facts
        items={[
          {
            name: t("settings.id"),
            mono: true,
            value: (
              <>
                {flow.id} <CopyButton value={flow.id} what={t("settings.id")} />
              </>
            ),
          },
          { name: t("settings.created"), value: format.moment(flow.created_at) },
          { name: t("settings.draft"), value: `r${flow.draft_revision}` },
          {
            name: t("settings.installed"),
            value:
              flow.installed_version_number === null
                ? t("config.never")
                : `v${flow.installed_version_number}, r${flow.installed_revision}`,
          },
        ]}
      />
    </Card>
  );
}

function Ending() {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const install = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const [asking, setAsking] = useState(false);
  return (
    <Card title={t("settings.delete")}>
      <div className={classes.line}>
        <p className="soft">{t("settings.deleteText")}</p>
        <Action kind="danger" reason={install} onClick={() => setAsking(true)}>
          {t("act.delete.verb")}…
        </Action>
      </div>
      {asking && <FlowActDialog act="delete" flows={[flow]} onClose={() => setAsking(false)} />}
    </Card>
  );
}
