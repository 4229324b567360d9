import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { Stack } from "@/components/layout/columns";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, type ViewState } from "@/components/state/states";
import { Tag } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import { policyName } from "../shared/policy-name";
import type { Policy } from "../shared/policies";
import classes from "./policies.module.css";
import { useCheckText, usePolicyText, useWindowText } from "./policy-text";

interface PoliciesViewProps {
  state: ViewState<{ items: Policy[] }>;
  block: string | undefined;
  more: { load: () => void; busy: boolean } | undefined;
  onEdit: (policy: Policy) => void;
  onRemove: (policy: Policy) => void;
}

/** The policies: whom each speaks of, and what it means. The one of everything else stands last. */
export function PoliciesView({ state, block, more, onEdit, onRemove }: PoliciesViewProps) {
  const { t } = useTranslation("health");
  if (state.kind === "loading") return <Skeleton rows={6} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  const policies = state.data.items.toSorted((a, b) => Number(a.default) - Number(b.default));
  return (
    <Stack>
      {policies.map((policy) => (
        <PolicyCard key={policy.id} policy={policy} block={block} onEdit={onEdit} onRemove={onRemove} />
      ))}
      {more && (
        <div>
          <Action busy={more.busy} onClick={more.load}>
            {t("app:table.more")}
          </Action>
        </div>
      )}
    </Stack>
  );
}

type PolicyCardProps = Pick<PoliciesViewProps, "block" | "onEdit" | "onRemove"> & { policy: Policy };

function PolicyCard({ policy, block, onEdit, onRemove }: PolicyCardProps) {
  const { t } = useTranslation("health");
  const sentences = usePolicyText();
  const checkText = useCheckText();
  const windowText = useWindowText();
  const name = policyName(t, policy.name);
  return (
    <Card
      title={name}
      aside={<ScopeText policy={policy} />}
      label={name}
      right={
        <>
          {!policy.enabled && <Tag>{t("policy.off")}</Tag>}
          <Action
            size="bar"
            reason={block}
            onClick={() => onEdit(policy)}
            aria-label={t("policy.changeNamed", { name })}
          >
            {t("policy.change")}
          </Action>
          {!policy.default && (
            <Action
              size="bar"
              reason={block}
              onClick={() => onRemove(policy)}
              aria-label={t("policy.removeNamed", { name })}
            >
              {t("policy.removeDots")}
            </Action>
          )}
        </>
      }
    >
      <p>{sentences(policy).join(" ")}</p>
      <ul className={classes.checks} aria-label={t("policy.checks")}>
        {policy.checks.map((check, at) => (
          <li key={`${check.type} ${at}`}>
            <Tag>{checkText(check)}</Tag>
          </li>
        ))}
      </ul>
      {policy.maintenance_windows.length > 0 && (
        <ul className={classes.windows} aria-label={t("policy.windows")}>
          {policy.maintenance_windows.map((window, at) => (
            <li key={at}>{windowText(window)}</li>
          ))}
        </ul>
      )}
      <p className="dim">
        <Speaks policy={policy} />
      </p>
    </Card>
  );
}

/** Whom a policy speaks of now. */
function Speaks({ policy }: { policy: Policy }) {
  const { t } = useTranslation("health");
  const format = useFormat();
  const count = (key: "nodes" | "flows", number: number) =>
    t(`policy.speaksOf.${key}`, { count: number, shown: format.number(number) });
  if (!policy.enabled) return t("policy.offText");
  return t("policy.speaks", {
    nodes: count("nodes", policy.nodes),
    flows: count("flows", policy.connection_units),
  });
}

const pages = { node: "/monitoring/nodes", connection_unit: "/monitoring/flows", pool: "/pools" };

/** The scope in words; a node or flow leads to how it does, a pool to its page. */
function ScopeText({ policy: { scope, scope_name: name, default: isDefault } }: { policy: Policy }) {
  const { t } = useTranslation("health");
  if (isDefault) return t("policy.scope.default");
  if (scope.kind === "tag") return t("policy.scope.tagged", { tag: scope.tag });
  if (scope.kind === "all") return t("policy.scope.all");
  return (
    <>
      {t(`policy.scope.${scope.kind}`)} <Link to={`${pages[scope.kind]}/${scope.id}`}>{name || scope.id}</Link>
    </>
  );
}
