import { IconStethoscope } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card, Row, Rows } from "@/components/layout/card";
import { CodeBlock } from "@/components/text/code-block";
import { RelativeTime } from "@/components/text/relative-time";
import { EmptyState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { useFormat, useLanguage } from "@/text/use-format";
import type { Check, Diagnostics } from "./api";
import { byGroup, looks, needsSomebody, wordsOf, worst, worstFirst, type CheckStatus } from "./checks";
import classes from "./diagnostics.module.css";

type Document = NonNullable<Diagnostics["doctor"]>;

/** What Doctor found when it last ran on the server, and how to run it again. */
export function DoctorCard({ document, command }: { document: Document | undefined; command: string }) {
  const { t } = useTranslation("diagnostics");
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
        {document ? (
          <Diagnosis document={document} />
        ) : (
          <EmptyState icon={IconStethoscope} title={t("doctor.none")}>
            {t("doctor.noneText")}
          </EmptyState>
        )}
        <CodeBlock value={command} what={t("doctor.run")} />
      </div>
    </Card>
  );
}

/** First what needs somebody or became another; all checks stand in their groups. */
function Diagnosis({ document }: { document: Document }) {
  const { t } = useTranslation("diagnostics");
  const [all, setAll] = useState(false);
  const was = new Map((document.changes?.statuses ?? []).map((change) => [change.id, change.from]));
  const open = worstFirst(document.checks).filter((check) => needsSomebody(check) || was.get(check.id));
  const rows = (checks: Check[], label: string) => (
    <Rows label={label}>
      {checks.map((check) => (
        <CheckRow key={check.id} check={check} was={was.get(check.id)} />
      ))}
    </Rows>
  );
  return (
    <>
      <Counts document={document} />
      {!document.checks.some(needsSomebody) && <Status kind="healthy">{t("doctor.all")}</Status>}
      {!all && open.length > 0 && <div className={classes.list}>{rows(open, t("doctor.title"))}</div>}
      {all &&
        byGroup(document.checks).map(({ group, checks }) => (
          <section key={group} className={classes.group} aria-label={t(`groups.${group}`)}>
            <h3 className={classes.groupName}>{t(`groups.${group}`)}</h3>
            <div className={classes.list}>{rows(checks, t(`groups.${group}`))}</div>
          </section>
        ))}
      {document.checks.length > open.length && (
        <div>
          <Action kind="link" size="bar" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? t("doctor.hide") : t("doctor.rest", { count: document.checks.length - open.length })}
          </Action>
        </div>
      )}
    </>
  );
}

/** How many checks ended how, and what the run before says to that. */
function Counts({ document }: { document: Document }) {
  const { t } = useTranslation("diagnostics");
  const format = useFormat();
  const { changes } = document;
  return (
    <div className={classes.counts}>
      <ul aria-label={t("doctor.counts")}>
        {worst
          .filter((status) => document.summary[status])
          .map((status) => (
            <li key={status}>
              <Status kind={looks[status]} quiet>
                <span className="num">{document.summary[status]}</span> {status}
              </Status>
            </li>
          ))}
      </ul>
      {changes && (
        <p className="dim">
          {t(changes.statuses.length === 0 ? "doctor.same" : "doctor.differs", {
            count: changes.statuses.length,
            since: format.moment(changes.since),
          })}
        </p>
      )}
    </div>
  );
}

function CheckRow({ check, was }: { check: Check; was: string | undefined }) {
  const { t } = useTranslation("diagnostics");
  const words = wordsOf(check, useLanguage());
  return (
    <Row className={classes.check}>
      <span className={classes.checkStatus}>
        <Status kind={looks[check.status as CheckStatus]}>{check.status}</Status>
      </span>
      <div className={classes.checkWords}>
        <p>
          <span className="strong">{words.title}</span>
          {check.subject && <span className="mono"> {check.subject}</span>} <span className="mono dim">{check.id}</span>
        </p>
        <p className="soft">{words.finding}</p>
        {was && <p className="dim">{t("doctor.changed", { from: was })}</p>}
        {words.action && needsSomebody(check) && <p className={classes.act}>{words.action}</p>}
      </div>
    </Row>
  );
}
