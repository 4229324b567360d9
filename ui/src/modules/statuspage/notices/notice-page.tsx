import { Menu, MultiSelect, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { IconSend } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { Confirm } from "@/components/dialog/confirm";
import { FormProblems } from "@/components/form/form-problems";
import { Card, Facts } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { PageHeader } from "@/components/layout/page-header";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { toastDone, toastProblem } from "@/components/state/toast";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import {
  noticeQuery,
  pagesQuery,
  useAddUpdate,
  useChangeNotice,
  usePublishNotice,
  useRemoveNotice,
  type Localised,
  type Notice,
  type NoticeState,
  type Page,
} from "../api";
import { languagesOf } from "../editor/draft";
import { useBlock } from "../shared/header";
import { LocalisedField, localText, written } from "../shared/localised";
import { NoticeStatus } from "../shared/states";
import classes from "../statuspage.module.css";
import { choicesOf, impacts, noticeStates } from "./notice-dialog";

/** One incident as readers are told of it: what was said when, and what to say next. */
export default function NoticePage() {
  const { t } = useTranslation("statuspage");
  const { id } = useParams({ strict: false }) as { id: string };
  const notice = viewState(useQuery(noticeQuery(id)));
  const pages = viewState(useQuery(pagesQuery));
  if (notice.kind === "error")
    return <ProblemView error={notice.error} tried={t("notices.loadFailed")} onRetry={notice.retry} />;
  if (pages.kind === "error") return <ProblemView error={pages.error} tried={t("loadFailed")} onRetry={pages.retry} />;
  if (notice.kind === "loading" || pages.kind === "loading") return <Skeleton rows={8} />;
  const page = pages.data.find(({ id: own }) => own === notice.data.page_id);
  return page ? <Opened notice={notice.data} page={page} /> : <Skeleton rows={8} />;
}

interface OpenedProps {
  notice: Notice;
  page: Page;
}

function Opened({ notice, page }: OpenedProps) {
  const { t } = useTranslation("statuspage");
  const block = useBlock();
  const navigate = useNavigate();
  const publish = usePublishNotice();
  const remove = useRemoveNotice();
  const [asked, setAsked] = useState<"publish" | "remove">();
  const close = () => setAsked(undefined);
  const name = localText(notice.titles, page.default_locale);
  return (
    <>
      <PageHeader
        title={name}
        beside={<NoticeStatus state={notice.state} published={notice.published} />}
        meta={<RelativeTime at={notice.started_at} />}
        closed={block}
        actions={
          !notice.published && (
            <>
              <RowMenu name={name}>
                <Menu.Item color="red" disabled={block !== undefined} title={block} onClick={() => setAsked("remove")}>
                  {t("notices.remove.menu")}
                </Menu.Item>
              </RowMenu>
              <Action kind="filled" icon={IconSend} reason={block} onClick={() => setAsked("publish")}>
                {t("notices.publish.menu")}
              </Action>
            </>
          )
        }
      />
      <Columns side={<AboutCard notice={notice} page={page} block={block} />}>
        {notice.state !== "resolved" && (
          <UpdateCard key={notice.updates.length} notice={notice} page={page} block={block} />
        )}
        <Timeline notice={notice} page={page} />
      </Columns>
      {asked === "publish" && (
        <Confirm
          opened
          danger={false}
          onClose={close}
          onConfirm={() =>
            publish.mutate(notice.id, {
              onSuccess: () => {
                toastDone(t("notices.published"), name);
                close();
              },
            })
          }
          title={t("notices.publish.title", { name })}
          verb={t("notices.publish.verb")}
          busy={publish.isPending}
          error={publish.error}
          consequences={[t("notices.publish.readers"), t("notices.publish.stays")]}
        />
      )}
      {asked === "remove" && (
        <Confirm
          opened
          onClose={close}
          onConfirm={() =>
            remove.mutate(notice.id, {
              onSuccess: () => {
                toastDone(t("notices.remove.done"), name);
                void navigate({ to: "/status-page/incidents", search: { page: page.id } as never });
              },
            })
          }
          title={t("notices.remove.title", { name })}
          verb={t("notices.remove.verb")}
          busy={remove.isPending}
          error={remove.error}
          consequences={[t("notices.remove.unseen")]}
        />
      )}
    </>
  );
}

interface ActingProps extends OpenedProps {
  block: string | undefined;
}

/** What is said next; it moves the incident on. */
function UpdateCard({ notice, page, block }: ActingProps) {
  const { t } = useTranslation("statuspage");
  const add = useAddUpdate();
  const [state, setState] = useState<NoticeState>(notice.state);
  const [bodies, setBodies] = useState<Localised>({});
  const locales = languagesOf(page);
  const wrong = fieldErrors(add.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (add.isPending) return;
    add.mutate(
      { id: notice.id, state, bodies: written(bodies) },
      { onSuccess: () => toastDone(t("notices.said"), localText(notice.titles, page.default_locale)) },
    );
  };
  return (
    <Card title={t("notices.next")}>
      <form className={classes.stack} onSubmit={submit}>
        <FormProblems error={add.error} fields={{ [`bodies.${locales[0]}`]: "update-body" }} />
        <Select
          size="md"
          className={classes.narrow}
          label={t("notices.state")}
          allowDeselect={false}
          disabled={block !== undefined}
          data={noticeStates.map((value) => ({ value, label: t(`notice.${value}`) }))}
          value={state}
          onChange={(next) => next && setState(next as NoticeState)}
        />
        <LocalisedField
          id="update-body"
          label={t("notices.text")}
          description={t("notices.textHelp")}
          required
          locales={locales}
          maxLength={10_000}
          rows={3}
          disabled={block !== undefined}
          value={bodies}
          error={(locale) => wrong[`bodies.${locale}`] ?? (locale === locales[0] ? wrong.bodies : undefined)}
          onChange={setBodies}
        />
        <div>
          <Action type="submit" kind={notice.published ? "filled" : "default"} reason={block} busy={add.isPending}>
            {t(notice.published ? "notices.say" : "notices.sayDraft")}
          </Action>
        </div>
      </form>
    </Card>
  );
}

function Timeline({ notice, page }: OpenedProps) {
  const { t } = useTranslation("statuspage");
  const format = useFormat();
  return (
    <Card title={t("notices.timeline")}>
      <ol className={classes.timeline}>
        {notice.updates.map((update) => (
          <li key={update.id}>
            <div className={classes.updateHead}>
              <NoticeStatus state={update.state} />
              <time className={`${classes.second} num`} dateTime={update.at}>
                {format.fullMoment(update.at)}
              </time>
              <span className={classes.second}>{update.by}</span>
            </div>
            <p className={classes.body}>{localText(update.bodies, page.default_locale)}</p>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** Facts about an incident that may be put right later: they are about the page, not about what was said. */
function AboutCard({ notice, page, block }: ActingProps) {
  const { t } = useTranslation("statuspage");
  const format = useFormat();
  const change = useChangeNotice();
  const send = (some: Partial<Pick<Notice, "impact" | "component_ids">>) =>
    change.mutate(
      { id: notice.id, revision: notice.revision, ...some },
      { onError: (error) => toastProblem(t("notices.changeFailed"), error) },
    );
  return (
    <Card title={t("notices.about")}>
      <div className={classes.stack}>
        <Facts
          items={[
            { name: t("notices.started"), value: format.fullMoment(notice.started_at) },
            ...(notice.resolved_at
              ? [{ name: t("notices.resolvedAt"), value: format.fullMoment(notice.resolved_at) }]
              : []),
            {
              name: t("notices.head.source"),
              value: notice.drafted_from ? (
                <Link to={`/monitoring/incidents/${notice.drafted_from}`}>{t("notices.fromHealth")}</Link>
              ) : (
                t("notices.byHand")
              ),
            },
            ...(notice.publish_at
              ? [{ name: t("notices.publishAt"), value: format.fullMoment(notice.publish_at) }]
              : []),
          ]}
        />
        <Select
          size="md"
          label={t("notices.impact")}
          allowDeselect={false}
          disabled={block !== undefined || change.isPending}
          data={impacts.map((value) => ({ value, label: t(`impact.${value}`) }))}
          value={notice.impact}
          onChange={(next) => next && send({ impact: next as Notice["impact"] })}
        />
        <MultiSelect
          searchable
          size="md"
          label={t("notices.components")}
          disabled={block !== undefined || change.isPending}
          data={choicesOf(page)}
          value={notice.component_ids}
          onChange={(component_ids) => send({ component_ids })}
        />
      </div>
    </Card>
  );
}
