import { useQuery } from "@tanstack/react-query";
import { IconArrowLeft } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Stack } from "@/components/layout/columns";
import { SetupBody, SetupFoot } from "@/components/layout/setup-frame";
import type { SetupStepProps } from "@/module";
import { nodeQuery } from "../shared/api";
import { CommandCard } from "./command-card";
import { DescribeCard } from "./describe-card";
import { enrollTicks, isComplete } from "./enroll-ticks";
import { LiveTicks } from "./live-ticks";
import { useEnrollment } from "./use-enrollment";

export default function NodeSetupStep({ onDone, onBack }: SetupStepProps) {
  const { t } = useTranslation("nodes");
  const [id, setId] = useState<string>();
  const node = useQuery({
    ...nodeQuery(id ?? ""),
    enabled: id !== undefined,
    refetchInterval: (query) => (query.state.data?.metrics ? false : 2000),
  }).data;
  const enrollment = useEnrollment(id, setId);
  const ticks = enrollTicks(node);
  const complete = isComplete(ticks);
  return (
    <SetupBody title={t("setup.title")} lead={t("new.lead")}>
      <Stack>
        <DescribeCard node={node} enrollment={enrollment} block={undefined} />
        <CommandCard node={node} enrollment={enrollment} block={undefined} />
        {node && <LiveTicks node={node} ticks={ticks} since={enrollment.since} enrollment={enrollment.issued} />}
      </Stack>
      <SetupFoot
        back={
          onBack && (
            <Action kind="ghost" size="dialog" icon={IconArrowLeft} onClick={onBack}>
              {t("setup.back")}
            </Action>
          )
        }
      >
        {!complete && (
          <Action size="dialog" onClick={() => onDone(node?.name ?? t("setup.skipped"), node === undefined)}>
            {node ? t("setup.later") : t("setup.skip")}
          </Action>
        )}
        {node && (
          <Action
            kind="filled"
            size="dialog"
            onClick={() => onDone(node.name)}
            reason={complete ? undefined : t("new.waits")}
          >
            {t("setup.continue")}
          </Action>
        )}
      </SetupFoot>
    </SetupBody>
  );
}
