import { IconCheck, IconChevronDown, IconClock, IconEye, IconFingerprint } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { CodeBlock } from "@/components/text/code-block";
import { ProblemNote } from "@/components/state/problem-view";
import { StepMark } from "@/components/status/step-mark";
import { CardTabs } from "@/components/layout/tabs";
import { useNow } from "@/components/text/use-now";
import { formatCountdown } from "@/text/format";
import { useFormat } from "@/text/use-format";
import classes from "./add-node.module.css";
import { installForms, type InstallForm } from "./install-forms";
import type { Enrollment, NodeDetail } from "../shared/types";
import type { EnrollmentState } from "./use-enrollment";

/** Step two: the one command, in the form that fits, and what it changes. */
export function CommandCard({
  node,
  enrollment,
  block,
}: {
  node: NodeDetail | undefined;
  enrollment: EnrollmentState;
  block: string | undefined;
}) {
  const { t } = useTranslation("nodes");
  const { issued } = enrollment;
  if (node && issued && node.agent.enrolled_at !== null && isLater(node.agent.enrolled_at, issued.created_at)) {
    return <UsedCommand at={node.agent.enrolled_at} />;
  }
  return (
    <section className={classes.step} data-open={node !== undefined || undefined} aria-label={t("new.run")}>
      <div className={classes.stepHead}>
        <StepMark number={2} state={node ? "now" : "later"} />
        <h2>{t("new.run")}</h2>
        <span className={classes.aside}>{t("new.asRoot")}</span>
      </div>
      {node && (
        <div className={classes.command}>
          {enrollment.error !== null && enrollment.error !== undefined && <ProblemNote error={enrollment.error} />}
          {issued ? (
            <IssuedCommand issued={issued} enrollment={enrollment} />
          ) : (
            <div className={classes.issue}>
              <p className="soft">{node.agent.enrolled_at ? t("new.alreadyBound") : t("new.issueText")}</p>
              <Action
                kind={node.agent.enrolled_at ? "default" : "filled"}
                onClick={enrollment.rotate}
                busy={enrollment.busy}
                reason={block}
              >
                {t("new.issue")}
              </Action>
            </div>
          )}
        </div>
      )}
      {node && <ScriptChanges url={issued?.install.url} />}
    </section>
  );
}

/** Clocks of panel and browser do not matter: both moments are the panel's. */
function isLater(enrolled: string, issued: string): boolean {
  return Date.parse(enrolled) >= Date.parse(issued);
}

/** The command was run: its token is used up, so nothing of it is shown any more. */
function UsedCommand({ at }: { at: string }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  return (
    <section className={classes.folded} aria-label={t("new.run")}>
      <IconCheck size={16} stroke={2} className={classes.tick} aria-label={t("new.done")} />
      <b>{t("new.run")}</b>
      <span className={classes.foldedFacts}>{t("new.used", { time: format.clock(at, true) })}</span>
    </section>
  );
}

function IssuedCommand({ issued, enrollment }: { issued: Enrollment; enrollment: EnrollmentState }) {
  const { t } = useTranslation("nodes");
  const [form, setForm] = useState<InstallForm>("shell");
  const left = (Date.parse(issued.expires_at) - useNow()) / 1000;
  const forms = installForms(issued);
  const tabs: { key: InstallForm; label: string }[] = [
    { key: "shell", label: t("new.shell") },
    { key: "cloudInit", label: "cloud-init" },
    { key: "ansible", label: "Ansible" },
  ];
  return (
    <>
      <CardTabs tabs={tabs} current={form} onChange={setForm} label={t("new.forms")}>
        <div className={classes.block}>
          <CodeBlock value={forms[form]} what={t("new.command")} />
        </div>
      </CardTabs>
      <div className={classes.remarks}>
        <span>
          <IconEye size={14} stroke={1.6} aria-hidden /> {t("new.once")}
        </span>
        <span>
          <IconClock size={14} stroke={1.6} aria-hidden /> {left > 0 ? t("new.validFor") : t("new.expired")}{" "}
          {left > 0 && <b className="num">{formatCountdown(left)}</b>}
        </span>
        <span>
          <IconFingerprint size={14} stroke={1.6} aria-hidden /> {t("new.oneServer")}
        </span>
        <Action kind="link" onClick={enrollment.rotate} busy={enrollment.busy}>
          {t("new.rotate")}
        </Action>
      </div>
    </>
  );
}

const changes = ["user", "service", "folders", "core", "network"] as const;

function ScriptChanges({ url }: { url: string | undefined }) {
  const { t } = useTranslation("nodes");
  const panel = url ? new URL(url).host : window.location.host;
  return (
    <details className={classes.changes}>
      <summary>
        <IconChevronDown size={16} stroke={1.6} aria-hidden />
        <span>{t("new.changes")}</span>
        <span className={classes.aside}>{t("new.idempotent")}</span>
      </summary>
      <dl>
        {changes.map((key) => (
          <div key={key}>
            <dt>{t(`change.${key}.name`)}</dt>
            <dd className="mono">{t(`change.${key}.what`, { panel })}</dd>
            <dd className="dim">{t(`change.${key}.note`)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
