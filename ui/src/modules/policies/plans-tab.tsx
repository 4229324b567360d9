import { Select, Switch } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { Card } from "@/components/layout/card";
import { EmptyState, Skeleton, type ViewState } from "@/components/state/states";
import { ProblemView } from "@/components/state/problem-view";
import { toastProblem } from "@/components/state/toast";
import { useEnable, useRemovePlan, type CustomPlan, type PlanVersion, type Policy } from "./api";
import { LoadMore, type More } from "./load-more";
import { PlanDialog } from "./plan-dialog";
import classes from "./policies.module.css";

interface PlansTabProps {
  state: ViewState<{ items: CustomPlan[] }>;
  policies: Policy[];
  block: string | undefined;
  more?: More;
}

/** Custom plans with their versions, and the policies that enable each. */
export function PlansTab({ state, policies, block, more }: PlansTabProps) {
  const { t } = useTranslation("policies");
  const [open, setOpen] = useState<{ act: "edit" | "remove"; plan?: CustomPlan }>();
  const remove = useRemovePlan();
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
          {t("plan.add")}
        </Action>
      </div>
      {state.data.items.length === 0 && <EmptyState title={t("plan.empty")}>{t("plan.emptyText")}</EmptyState>}
      {state.data.items.map((plan) => (
        <Card
          key={plan.id}
          title={plan.name}
          label={plan.name}
          right={
            <div className={classes.acts}>
              <Action
                reason={block}
                onClick={() => setOpen({ act: "edit", plan })}
                aria-label={t("plan.newVersionOf", { name: plan.name })}
              >
                {t("plan.newVersion")}
              </Action>
              <Action
                reason={block}
                onClick={() => setOpen({ act: "remove", plan })}
                aria-label={t("plan.removeNamed", { name: plan.name })}
              >
                {t("removeDots")}
              </Action>
            </div>
          }
        >
          {plan.versions.map((version) => (
            <Version key={version.id} plan={plan} version={version} policies={policies} block={block} />
          ))}
        </Card>
      ))}
      <LoadMore more={more} />
      {open?.act === "edit" && <PlanDialog plan={open.plan} onClose={close} />}
      <Confirm
        opened={open?.act === "remove"}
        onClose={close}
        onConfirm={() => open?.plan && remove.mutate(open.plan.id, { onSuccess: close })}
        title={t("plan.removeTitle", { name: open?.plan?.name })}
        verb={t("remove")}
        busy={remove.isPending}
        error={remove.error}
      >
        {t("plan.removeText")}
      </Confirm>
    </div>
  );
}

/** With more policies than this, those that do not enable a version are found by name. */
const mostSwitches = 8;

interface VersionProps {
  plan: CustomPlan;
  version: PlanVersion;
  policies: Policy[];
  block: string | undefined;
}

/** One version: off in every policy until somebody switches it on there. */
function Version({ plan, version, policies, block }: VersionProps) {
  const { t } = useTranslation("policies");
  const enable = useEnable();
  const set = (policy: string, enabled: boolean) =>
    enable.mutate(
      { plan: plan.id, number: version.number, policy, enabled },
      { onError: (error) => toastProblem(t("plan.enableFailed"), error) },
    );
  const isOn = (policy: Policy) => version.enabled_in_policies.some((one) => one.id === policy.id);
  const many = policies.length > mostSwitches;
  const shown = many ? policies.filter(isOn) : policies;
  const body = version.body;
  const proxy = body.address ? `${body.address}:${body.port}` : "";
  const facts = [
    t(`way.${body.way}`, { proxy }),
    body.family && body.family !== "any" && t(`family.${body.family}`),
    body.fragment && t("plan.split"),
    version.has_password && t("plan.hasPassword"),
  ].filter(Boolean);
  return (
    <div className={classes.version} role="group" aria-label={t("plan.version", { number: version.number })}>
      <span>
        <strong>{t("plan.version", { number: version.number })}</strong> · {facts.join(" · ")}
      </span>
      {version.used_by.length > 0 && (
        <span className="soft">
          {t("plan.usedBy", { list: version.used_by.map((use) => use.flow_name).join(", ") })}
        </span>
      )}
      {policies.length === 0 && <span className="soft">{t("plan.noPolicies")}</span>}
      <div className={classes.switches}>
        {shown.map((policy) => (
          <Switch
            key={policy.id}
            label={t("plan.enabledIn", { policy: policy.name })}
            checked={isOn(policy)}
            disabled={block !== undefined || enable.isPending}
            onChange={(event) => set(policy.id, event.currentTarget.checked)}
          />
        ))}
        {many && (
          <Select
            searchable
            aria-label={t("plan.enableIn")}
            placeholder={t("plan.enableIn")}
            nothingFoundMessage={t("plan.noPolicy")}
            limit={50}
            data={policies.filter((policy) => !isOn(policy)).map(({ id, name }) => ({ value: id, label: name }))}
            value={null}
            disabled={block !== undefined || enable.isPending}
            onChange={(policy) => policy && set(policy, true)}
          />
        )}
      </div>
    </div>
  );
}
