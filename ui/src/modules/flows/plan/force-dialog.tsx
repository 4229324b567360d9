import { useTranslation } from "react-i18next";
import { Confirm } from "@/components/dialog/confirm";
import { Glyph } from "@/components/status/glyph";
import type { Flow, Plan } from "../shared/api";
import { useCheckWords } from "../shared/check-words";
import { checkGlyph } from "./checks-card";
import dialog from "../shared/dialogs.module.css";
import { openChecks } from "./plan-state";

/**
 * Applies although checks are not confirmed: lists them with what each may mean, says what stays in force, asks for the
 * name.
 */
export function ForceDialog({
  flow,
  plan,
  busy,
  error,
  onClose,
  onConfirm,
}: {
  flow: Flow;
  plan: Plan;
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const { t } = useTranslation("flows");
  const words = useCheckWords();
  const checks = openChecks(plan);
  const next = (flow.installed_version_number ?? 0) + 1;
  return (
    <Confirm
      opened
      onClose={onClose}
      onConfirm={onConfirm}
      title={t("force.title", { count: checks.length })}
      consequences={[
        t("force.stays"),
        flow.installed_version_number === null
          ? t("force.first")
          : t("force.serves", { number: flow.installed_version_number }),
        t("force.mark", { number: next, count: checks.length }),
      ]}
      typed={flow.name}
      verb={t("force.act")}
      busy={busy}
      error={error}
      note={t("force.note", { revision: plan.revision })}
    >
      <div className={dialog.body}>
        <p>{t("force.text", { name: flow.name })}</p>
        <ul className={dialog.checks}>
          {checks.map((check) => (
            <li key={check.key} className={dialog.check}>
              <Glyph kind={checkGlyph[check.status]} label={t(`checks.${check.status}`)} />
              <span>
                <span className="strong">
                  {t(`checks.group.${check.group}`)}: {words(check)}
                </span>
                <p>{t(`force.means.${check.group}`)}</p>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </Confirm>
  );
}
