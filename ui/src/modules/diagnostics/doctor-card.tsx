import { IconStethoscope } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action";
import { Card, Row, Rows } from "@/components/card";
import { CodeBlock } from "@/components/code-block";
import { RelativeTime } from "@/components/relative-time";
import { EmptyState } from "@/components/states";
import { Status } from "@/components/status";
import type { Check, Diagnostics } from "./api";
import { looks, needsSomebody, worstFirst, type CheckStatus } from "./checks";
import classes from "./diagnostics.module.css";

/** What Doctor found when it last ran on the server, and how to run it again. */
export function DoctorCard({ document, command }: { document: NonNullable<Diagnostics["doctor"]> | undefined; command: string }) {
  const { t } = useTranslation("diagnostics");
  const [all, setAll] = useState(false);
  const checks = worstFirst(document?.checks ?? []);
  const open = checks.filter(needsSomebody);
  const shown = all ? checks : open;
  const was = new Map((document?.changes?.statuses ?? []).map((change) => [change.id, change.from]));
  return (
    <Card
      title={t("doctor.title")}
      aside={
        document && (
          <>
            {t("doctor.at", { host: document.host })} <RelativeTime at={document.started_at} />
          </>
        )
      }
    >
      <div className={classes.block}>
        {!document && (
          <EmptyState icon={IconStethoscope} title={t("doctor.none")}>
            {t("doctor.noneText")}
          </EmptyState>
        )}
        {document && open.length === 0 && <Status kind="healthy">{t("doctor.all")}</Status>}
        {shown.length > 0 && (
          <Rows label={t("doctor.title")}>
            {shown.map((check) => (
              <CheckRow key={check.id} check={check} was={was.get(check.id)} />
            ))}
          </Rows>
        )}
        {checks.length > open.length && (
          <div>
            <Action kind="link" size="bar" aria-expanded={all} onClick={() => setAll(!all)}>
              {all ? t("doctor.hide") : t("doctor.rest", { count: checks.length - open.length })}
            </Action>
          </div>
        )}
        <CodeBlock value={command} what={t("doctor.run")} />
      </div>
    </Card>
  );
}

function CheckRow({ check, was }: { check: Check; was: string | undefined }) {
  const { t } = useTranslation("diagnostics");
  return (
    <Row className={classes.check}>
      <span className={classes.checkStatus}>
        <Status kind={looks[check.status as CheckStatus]}>{check.status}</Status>
      </span>
      <div className={classes.checkWords}>
        <p>
          <span className="strong">{check.subject ?? check.title}</span> <span className="mono dim">{check.id}</span>
          {was && <span className="dim">, {t("doctor.changed", { from: was })}</span>}
        </p>
        <p className="soft">{check.finding}</p>
        {check.action && needsSomebody(check) && <p className={classes.act}>{check.action}</p>}
      </div>
    </Row>
  );
}
