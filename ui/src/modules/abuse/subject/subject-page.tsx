import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { Action } from "@/components/action/action";
import { CopyButton } from "@/components/action/copy-button";
import { Columns } from "@/components/layout/columns";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { usePageTitle } from "@/components/layout/page-title";
import { useTableLook } from "@/components/table/use-table-look";
import { viewState } from "@/components/state/states";
import { ProblemView } from "@/components/state/problem-view";
import classes from "../abuse.module.css";
import { casesQuery } from "../cases/api";
import { CasesTable } from "../cases/cases-table";
import { AllowDialog } from "../allowlist/allow-dialog";
import { useBlock } from "../header";
import { clientOf, shortRef } from "../shared/user";
import { signalsQuery, type Signal } from "../signals/api";
import { SignalDrawer } from "../signals/signal-drawer";
import { SignalsTable } from "../signals/signals-table";
import { diversityQuery } from "./api";
import { NetworksCard } from "./networks-card";
import { SourcesChart } from "./sources-chart";
import { SubjectFacts } from "./subject-facts";

/** All that is known of one user: from where it was connected, and what it seemed to do. */
export default function SubjectPage() {
  const { ref } = useParams({ strict: false }) as { ref: string };
  const { t } = useTranslation("abuse");
  const state = viewState(useQuery(diversityQuery(ref, "week")));
  const today = viewState(useQuery(diversityQuery(ref, "day")));
  const name = state.kind === "ready" ? state.data.user_label || shortRef(ref) : shortRef(ref);
  const block = useBlock();
  const [allowing, setAllowing] = useState(false);
  usePageTitle(name);
  return (
    <>
      <PageHeader
        title={name}
        meta={<Who userRef={ref} />}
        closed={block}
        actions={
          <Action reason={block} onClick={() => setAllowing(true)}>
            {t("allow.open")}
          </Action>
        }
      />
      {state.kind === "error" ? (
        <ProblemView error={state.error} onRetry={state.retry} tried={t("subject.loadFailed")} />
      ) : (
        <Columns width="narrow" side={<SubjectFacts state={state} />}>
          <NetworksCard state={today} week={state.kind === "ready" ? state.data : undefined} />
          {state.kind === "ready" && <SourcesChart diversity={state.data} />}
          <Cases userRef={ref} />
          <Signals userRef={ref} />
        </Columns>
      )}
      {allowing && (
        <AllowDialog
          preset={{ kind: "user", value: ref, label: state.kind === "ready" ? state.data.user_label : "" }}
          onClose={() => setAllowing(false)}
        />
      )}
    </>
  );
}

/** How the API calls the user, and the way to its client. */
function Who({ userRef }: { userRef: string }) {
  const { t } = useTranslation("abuse");
  const { can } = useAccess();
  const client = clientOf(userRef);
  return (
    <>
      <Meta>
        <span className={`mono ${classes.long}`}>{userRef}</span>
        <CopyButton value={userRef} what={t("user.ref")} />
      </Meta>
      {client && can("connection_units.view") && (
        <Meta>
          <Link to="/clients/$id" params={{ id: client }}>
            {t("user.client")}
          </Link>
        </Meta>
      )}
    </>
  );
}

/** The cases that there were of the user; nothing stands here while there was none. */
function Cases({ userRef }: { userRef: string }) {
  const { t } = useTranslation("abuse");
  const list = useInfiniteQuery(casesQuery({ user_ref: userRef }, "-opened_at"));
  const own = useTableLook("abuse-subject-cases");
  if (list.data?.total === 0) return null;
  return (
    <section aria-label={t("cases.tab")} className={classes.part}>
      <h2 className={classes.partTitle}>{t("cases.tab")}</h2>
      <CasesTable list={list} own={own} without="user" />
    </section>
  );
}

function Signals({ userRef }: { userRef: string }) {
  const { t } = useTranslation("abuse");
  const [sort, setSort] = useState("-last_at");
  const [open, setOpen] = useState<Signal>();
  const list = useInfiniteQuery(signalsQuery({ user_ref: userRef, allowed: true, sort }));
  return (
    <section aria-label={t("subject.signals")} className={classes.part}>
      <h2 className={classes.partTitle}>{t("subject.signals")}</h2>
      <SignalsTable
        list={list}
        own={useTableLook("abuse-subject-signals")}
        sorting={{ value: sort, onChange: setSort }}
        onOpen={setOpen}
        onClear={undefined}
        without="user"
      />
      <SignalDrawer signal={open} onClose={() => setOpen(undefined)} />
    </section>
  );
}
