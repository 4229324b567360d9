import { useTranslation } from "react-i18next";
import { opens, useAccess, useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { ProblemNote } from "@/components/state/problem-view";
import { Status } from "@/components/status/status";
import { useConfirm, useReject, type Proposal } from "../api";
import { PanelLink } from "./answer-text";
import classes from "./sheet.module.css";

/** A change that was proposed: what it would do, as a diff. Nothing happens until the person confirms it. */
export function ProposalCard({ proposal }: { proposal: Proposal }) {
  const { t } = useTranslation("assistant");
  const { permissions } = useAccess();
  const block = useWriteBlock({});
  const confirm = useConfirm(proposal);
  const reject = useReject(proposal.id);
  const lacks = proposal.needs !== "" && !opens(permissions, [proposal.needs]);
  const reason = lacks ? t("proposal.needs", { key: proposal.needs }) : block;
  const open = proposal.state === "open" && !confirm.isPending;
  return (
    <section className={classes.proposal} aria-label={proposal.title}>
      <p className={classes.kind}>{t(`proposal.kind.${proposal.kind}`)}</p>
      <p className="strong">{proposal.title}</p>
      {proposal.why !== "" && <p className="soft">{proposal.why}</p>}
      <Diff diff={proposal.diff} />
      <p className={classes.request}>
        <code>
          {proposal.request.method} {proposal.request.path}
        </code>
      </p>
      {confirm.error !== null && <ProblemNote error={confirm.error} />}
      {reject.error !== null && <ProblemNote error={reject.error} />}
      {open ? (
        <div className={classes.acts}>
          <Action size="bar" kind="ghost" busy={reject.isPending} onClick={() => reject.mutate()}>
            {t("proposal.reject")}
          </Action>
          <Action size="bar" kind="filled" reason={reason} onClick={() => confirm.mutate(false)}>
            {t("proposal.confirm")}
          </Action>
        </div>
      ) : (
        <Outcome
          proposal={proposal}
          failed={confirm.isError}
          busy={confirm.isPending}
          onAgain={() => confirm.mutate(true)}
        />
      )}
    </section>
  );
}

function Diff({ diff }: { diff: Proposal["diff"] }) {
  const { t } = useTranslation("assistant");
  if (diff.length === 0) return null;
  return (
    <table className={classes.diff}>
      <caption className="visually-hidden">{t("proposal.changes")}</caption>
      <tbody>
        {diff.map(({ field, from, to }) => (
          <tr key={field}>
            <th scope="row">{field}</th>
            <td>{from !== "" && <del>{from}</del>}</td>
            <td>
              <ins>{to}</ins>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What became of it, and where to look. */
function Outcome({
  proposal,
  failed,
  busy,
  onAgain,
}: {
  proposal: Proposal;
  failed: boolean;
  busy: boolean;
  onAgain: () => void;
}) {
  const { t } = useTranslation("assistant");
  if (failed && proposal.state === "confirmed") {
    return (
      <div className={classes.acts}>
        <span className="dim">{t("proposal.notDone")}</span>
        <Action size="bar" onClick={onAgain}>
          {t("proposal.again")}
        </Action>
      </div>
    );
  }
  const done = proposal.state === "confirmed" && !busy;
  return (
    <div className={classes.acts}>
      <Status kind={done ? "in-sync" : busy ? "applying" : "skipped"}>
        {busy ? t("proposal.sending") : t(`proposal.state.${proposal.state}`)}
      </Status>
      {done && proposal.href !== "" && <PanelLink href={proposal.href} label={t("proposal.look")} />}
    </div>
  );
}
