import { useTranslation } from "react-i18next";
import { Action, ActionLink } from "@/components/action/action";
import { Columns } from "@/components/layout/columns";
import { PageHeader } from "@/components/layout/page-header";
import { StepMark } from "@/components/status/step-mark";
import { DescribeCard } from "./describe-card";
import { CommandCard } from "./command-card";
import { enrollTicks, isComplete } from "./enroll-ticks";
import { LiveTicks } from "./live-ticks";
import classes from "./add-node.module.css";
import type { NodeDetail } from "../shared/types";
import type { EnrollmentState } from "./use-enrollment";

interface AddNodeViewProps {
  title: string;
  block: string | undefined;
  node: NodeDetail | undefined;
  enrollment: EnrollmentState;
  onCancel: () => void;
  onDone: () => void;
}

export function AddNodeView({ title, block, node, enrollment, onCancel, onDone }: AddNodeViewProps) {
  const { t } = useTranslation("nodes");
  const ticks = enrollTicks(node);
  const complete = isComplete(ticks);
  return (
    <>
      <PageHeader
        title={title}
        meta={t("new.lead")}
        actions={
          <>
            <Action kind="ghost" onClick={onCancel} title={node && t("new.stays", { name: node.name })}>
              {t(node ? "new.later" : "new.cancel")}
            </Action>
            <Action kind="filled" onClick={onDone} reason={complete ? undefined : t("new.waits")}>
              {t("new.open")}
            </Action>
          </>
        }
      />
      <Columns side={<LiveTicks node={node} ticks={ticks} since={enrollment.since} enrollment={enrollment.issued} />}>
        <DescribeCard node={node} enrollment={enrollment} block={block} />
        <CommandCard node={node} enrollment={enrollment} block={block} />
        {node && <p className="dim">{t("new.stays", { name: node.name })}</p>}
        <NextCard complete={complete} />
      </Columns>
    </>
  );
}

/** Step three: the node reports, so it can be used. */
function NextCard({ complete }: { complete: boolean }) {
  const { t } = useTranslation("nodes");
  return (
    <section className={classes.next} data-open={complete || undefined}>
      <StepMark number={3} state={complete ? "now" : "later"} />
      <span>{t("new.use")}</span>
      <span className="dim">{t("new.useText")}</span>
      {complete && <ActionLink to="/flows">{t("new.toFlows")}</ActionLink>}
    </section>
  );
}
