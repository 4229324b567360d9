import { Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconChevronDown } from "@tabler/icons-react";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { usePageTitle } from "@/components/layout/page-title";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import { ActDialog } from "../acts/act-dialog";
import { actsOn, isOnUser, suggestedAct, type CaseAct } from "../acts/acts";
import { useBlock } from "../header";
import { UserLink } from "../shared/user";
import { diversityQuery } from "../subject/api";
import { NetworksCard } from "../subject/networks-card";
import { caseQuery, type Case } from "./api";
import { CaseStatus } from "./case-words";
import classes from "./cases.module.css";
import { EvidenceCard, numbered } from "./evidence-card";
import { NotesCard } from "./notes-card";
import { ScoreCard } from "./score-card";
import { CaseSubject } from "./case-subject";

/** One case: why, from where, what was found, and what people and the panel did about it. */
export default function CasePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { t } = useTranslation("abuse");
  const state = viewState(useQuery(caseQuery(id)));
  const one = state.kind === "ready" ? state.data : undefined;
  const name = one && t("case.name", { number: one.number });
  usePageTitle(name);
  return (
    <>
      <PageHeader
        title={name ?? t("case.one")}
        beside={one && <CaseStatus state={one.state} />}
        meta={one && <Lead one={one} />}
        closed={useBlock()}
        actions={one && <Acts one={one} />}
      />
      {state.kind === "loading" && <Skeleton rows={8} />}
      {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} tried={t("case.loadFailed")} />}
      {one && <Opened one={one} />}
    </>
  );
}

function Lead({ one }: { one: Case }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  return (
    <>
      <Meta>
        {t("user.one")} <UserLink userRef={one.user_ref} label={one.user.name} />
      </Meta>
      {one.nodes.length > 0 && (
        <Meta>{t("case.seen", { nodes: one.nodes.map(({ name }) => name || t("gone")).join(", ") })}</Meta>
      )}
      <Meta>
        {t("case.openedAt", { when: format.moment(one.opened_at) })}, <RelativeTime at={one.opened_at} />
      </Meta>
      {one.whitelist_until && <Meta>{t("case.mutedUntil", { when: format.moment(one.whitelist_until) })}</Meta>}
      {one.closed_at && (
        <Meta>
          {one.closed_by ? t("case.closedBy", { who: one.closed_by }) : t("case.closedItself")},{" "}
          {format.moment(one.closed_at)}
        </Meta>
      )}
    </>
  );
}

/** What stands first: closing the case, leaving the user alone, and what the score suggests. */
function Acts({ one }: { one: Case }) {
  const { t } = useTranslation("abuse");
  const block = useBlock();
  const [open, setOpen] = useState<CaseAct>();
  const acts = actsOn(one);
  const main = suggestedAct(one.recommended);
  const first = acts.filter((act) => !isOnUser(act));
  const rest = acts.filter((act) => isOnUser(act) && act !== main);
  return (
    <>
      {first.map((act) => (
        <Action key={act} reason={block} onClick={() => setOpen(act)}>
          {t(`act.${act}.open`)}
        </Action>
      ))}
      {rest.length > 0 && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Action icon={IconChevronDown}>{t("act.more")}</Action>
          </Menu.Target>
          <Menu.Dropdown>
            {rest.map((act) => (
              <Menu.Item
                key={act}
                data-danger={act === "revoke" || undefined}
                disabled={block !== undefined}
                onClick={() => setOpen(act)}
              >
                {t(`act.${act}.open`)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {main && acts.includes(main) && (
        <Action kind="filled" reason={block} onClick={() => setOpen(main)}>
          {t(`act.${main}.open`)}
        </Action>
      )}
      {open && <ActDialog key={open} act={open} cases={[one]} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function Opened({ one }: { one: Case }) {
  const week = viewState(useQuery(diversityQuery(one.user_ref, "week")));
  const day = viewState(useQuery(diversityQuery(one.user_ref, "day")));
  const findings = numbered(one.findings);
  const known = week.kind === "ready" ? week.data : undefined;
  return (
    <div className={classes.page}>
      <div className={classes.stack}>
        <ScoreCard one={one} />
        <CaseSubject one={one} week={known} />
      </div>
      <div className={classes.stack}>
        <NetworksCard state={day} week={known} marks={findings} />
        <EvidenceCard one={one} findings={findings} />
        <NotesCard one={one} />
      </div>
    </div>
  );
}
