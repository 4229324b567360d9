import { useQuery } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { viewState } from "@/components/state/states";
import { toastDone } from "@/components/state/toast";
import { eventsQuery, rulesQuery, useRemoveRule, type Rule } from "./api";
import { NotificationsHeader, useBlock } from "./header";
import { RuleDialog } from "./rule-dialog";
import { RulesView } from "./rules-view";
import { useChannelNames } from "./words";

export default function RulesPage() {
  const { t } = useTranslation("notifications");
  const rules = useQuery(rulesQuery);
  const events = useQuery(eventsQuery);
  const channels = useChannelNames();
  const block = useBlock();
  const [editing, setEditing] = useState<Rule | "new">();
  const [removing, setRemoving] = useState<Rule>();
  const add = (
    <Action kind="filled" icon={IconPlus} onClick={() => setEditing("new")} reason={block}>
      {t("rules.add")}
    </Action>
  );
  return (
    <>
      <NotificationsHeader current="rules" actions={rules.data && rules.data.length > 0 ? add : undefined} />
      <RulesView
        state={viewState(rules)}
        events={events.data ?? []}
        channels={channels}
        block={block}
        add={add}
        onEdit={setEditing}
        onRemove={setRemoving}
      />
      {editing && (
        <RuleDialog
          rule={editing === "new" ? undefined : editing}
          events={events.data ?? []}
          eventsError={events.error}
          channels={channels}
          onClose={() => setEditing(undefined)}
        />
      )}
      {removing && <Remove rule={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

function Remove({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const { t } = useTranslation("notifications");
  const remove = useRemoveRule();
  const done = () => {
    toastDone(t("rules.removed", { name: rule.name }));
    onClose();
  };
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t("rules.removeTitle", { name: rule.name })}
      consequences={[t("rules.removeNothing"), t("rules.removeWaiting")]}
      verb={t("rules.remove")}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(rule.id, { onSuccess: done })}
    />
  );
}
