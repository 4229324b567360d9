import { IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { Card } from "@/components/layout/card";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { ProblemView } from "@/components/state/problem-view";
import { useRemovePolicy, type Policy } from "./api";
import { LoadMore, type More } from "./load-more";
import classes from "./policies.module.css";
import { PolicyDialog } from "./policy-dialog";
import { useRuleText, useValueText } from "./rule-text";

interface PoliciesTabProps {
  state: ViewState<{ items: Policy[] }>;
  block: string | undefined;
  more?: More;
}

/** The policies: what each says, and which flows obey it. */
export function PoliciesTab({ state, block, more }: PoliciesTabProps) {
  const { t } = useTranslation("policies");
  const [open, setOpen] = useState<{ act: "edit" | "remove"; policy?: Policy }>();
  const remove = useRemovePolicy();
  const close = () => {
    setOpen(undefined);
    remove.reset();
  };
  if (state.kind === "loading") return <Skeleton rows={6} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  return (
    <div className={classes.stack}>
      <div>
        <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setOpen({ act: "edit" })}>
          {t("policy.add")}
        </Action>
      </div>
      {state.data.items.length === 0 && <EmptyState title={t("policy.empty")}>{t("policy.emptyText")}</EmptyState>}
      {state.data.items.map((policy) => (
        <PolicyCard
          key={policy.id}
          policy={policy}
          block={block}
          onEdit={() => setOpen({ act: "edit", policy })}
          onRemove={() => setOpen({ act: "remove", policy })}
        />
      ))}
      <LoadMore more={more} />
      {open?.act === "edit" && <PolicyDialog policy={open.policy} onClose={close} />}
      <Confirm
        opened={open?.act === "remove"}
        onClose={close}
        onConfirm={() => open?.policy && remove.mutate(open.policy.id, { onSuccess: close })}
        title={t("policy.removeTitle", { name: open?.policy?.name })}
        verb={t("remove")}
        busy={remove.isPending}
        error={remove.error}
      >
        {t("policy.removeText")}
      </Confirm>
    </div>
  );
}

interface PolicyCardProps {
  policy: Policy;
  block: string | undefined;
  onEdit: () => void;
  onRemove: () => void;
}

function PolicyCard({ policy, block, onEdit, onRemove }: PolicyCardProps) {
  const { t } = useTranslation("policies");
  const say = useRuleText();
  const valueText = useValueText();
  const { rules, allowed_protocols: protocols, allowed_plans: plans, used_by: flows } = policy;
  return (
    <Card
      title={policy.name}
      aside={t(`kind.${policy.kind}`)}
      label={policy.name}
      right={
        <div className={classes.acts}>
          <Action reason={block} onClick={onEdit} aria-label={t("policy.changeNamed", { name: policy.name })}>
            {t("change")}
          </Action>
          <Action reason={block} onClick={onRemove} aria-label={t("policy.removeNamed", { name: policy.name })}>
            {t("removeDots")}
          </Action>
        </div>
      }
    >
      <ul className={classes.lines}>
        {protocols.length > 0 && <li>{t("policy.protocols", { list: protocols.map(valueText).join(", ") })}</li>}
        {rules.map((rule, index) => (
          <li key={`${rule.type} ${index}`}>{say(rule)}</li>
        ))}
        {rules.length + protocols.length === 0 && <li className="soft">{t("policy.noRules")}</li>}
        {plans.length > 0 && (
          <li>{t("policy.plans", { list: plans.map((plan) => `${plan.plan_name} v${plan.number}`).join(", ") })}</li>
        )}
      </ul>
      <p className="soft">{flows.length === 0 ? t("policy.noFlows") : t("policy.flows", { count: flows.length })}</p>
      {flows.length > 0 && (
        <ul className={classes.links}>
          {flows.slice(0, 10).map((flow) => (
            <li key={flow.flow_id}>
              <Link to={`/flows/${flow.flow_id}`}>{flow.flow_name}</Link>
            </li>
          ))}
          {flows.length > 10 && <li className="soft">{t("more", { count: flows.length - 10 })}</li>}
        </ul>
      )}
    </Card>
  );
}
