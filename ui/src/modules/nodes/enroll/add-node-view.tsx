import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
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
            <Action kind="ghost" onClick={onCancel}>
              {t("new.cancel")}
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
        <NextCard number={3} title={t("new.use")} text={t("new.useText")} />
      </Columns>
    </>
  );
}

function NextCard({ number, title, text }: { number: number; title: string; text: string }) {
  return (
    <section className={classes.next}>
      <StepMark number={number} />
      <span>{title}</span>
      <span className="dim">{text}</span>
    </section>
  );
}
