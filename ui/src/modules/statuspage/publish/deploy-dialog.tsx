import { Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { DialogFoot } from "@/components/dialog/dialog-form";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { Skeleton, viewState } from "@/components/state/states";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import {
  deployPreviewQuery,
  deployQuery,
  isUnderWay,
  useDeploy,
  type Deploy,
  type DeployPreview,
  type Page,
} from "../api";
import { isLocale } from "../editor/draft";
import { DeployStatus } from "../shared/states";
import classes from "../statuspage.module.css";

interface DeployDialogProps {
  page: Page;
  onClose: () => void;
}

/** Shows what a deploy changes and where readers will find it, does it, and follows it to its end. */
export function DeployDialog({ page, onClose }: DeployDialogProps) {
  const { t } = useTranslation("statuspage");
  const [started, setStarted] = useState<string>();
  return (
    <Modal opened onClose={onClose} title={t(started ? "deployment.going" : "deployment.title")} size="lg">
      {started ? (
        <Progress id={started} onClose={onClose} />
      ) : (
        <Ask page={page} onClose={onClose} onStarted={setStarted} />
      )}
    </Modal>
  );
}

function Ask({ page, onClose, onStarted }: DeployDialogProps & { onStarted: (id: string) => void }) {
  const { t } = useTranslation("statuspage");
  const deploy = useDeploy();
  const state = viewState(useQuery(deployPreviewQuery(page.id)));
  if (state.kind === "loading") return <Skeleton rows={5} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} tried={t("deployment.previewFailed")} onRetry={state.retry} />;
  const { targets, unchanged, revision } = state.data;
  const start = () => deploy.mutate({ pageId: page.id, revision }, { onSuccess: (made: Deploy) => onStarted(made.id) });
  return (
    <div className={classes.stack}>
      {deploy.error !== null && <ProblemNote error={deploy.error} />}
      {targets.length === 0 ? (
        <p>
          {t("deployment.noTarget")}{" "}
          <Link to="/status-page/publishing" search={{ page: page.id } as never} onClick={onClose}>
            {t("deployment.addTarget")}
          </Link>
        </p>
      ) : (
        <Where targets={targets} />
      )}
      <What preview={state.data} />
      <DialogFoot>
        <Action size="dialog" data-autofocus onClick={onClose}>
          {t("cancel")}
        </Action>
        <Action
          size="dialog"
          kind="filled"
          busy={deploy.isPending}
          reason={targets.length === 0 ? t("deployment.targetFirst") : undefined}
          onClick={start}
        >
          {t(unchanged ? "deployment.again" : "deployment.verb")}
        </Action>
      </DialogFoot>
    </div>
  );
}

function Where({ targets }: Pick<DeployPreview, "targets">) {
  const { t } = useTranslation("statuspage");
  return (
    <section>
      <h3 className={classes.label}>{t("deployment.where")}</h3>
      <ul className={classes.plainList}>
        {targets.map(({ id, label, kind, address }) => (
          <li key={id} className={classes.two}>
            <span className="strong">{label}</span>
            <span className={classes.second}>{address === "" ? t(`kind.${kind}`) : address}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The texts that change, and the files: what stays the same is not sent. */
function What({
  preview: { texts, files, unchanged, published_revision: before, revision },
}: {
  preview: DeployPreview;
}) {
  const { t } = useTranslation("statuspage");
  const format = useFormat();
  const nameOf = (field: string) => {
    const parts = field.split(".");
    const what = t(`deployment.field.${(parts[0] ?? "") as "titles"}`, { defaultValue: field });
    const language = parts.at(-1) ?? "";
    return isLocale(language) ? t("inLanguage", { what, language: t(`language.${language}`) }) : what;
  };
  const moved = files.filter(({ change }) => change !== "same");
  return (
    <section>
      <h3 className={classes.label}>{t("deployment.what")}</h3>
      <p className="soft">
        {unchanged
          ? t("deployment.unchanged")
          : before === 0
            ? t("deployment.first", { revision })
            : t("deployment.from", { before, revision })}
      </p>
      {texts.length > 0 && (
        <Scrolled label={t("deployment.texts")}>
          <ul className={classes.diff}>
            {texts.map(({ field, from, to }, at) => (
              <li key={at}>
                <span className={classes.second}>{nameOf(field)}</span>
                {from !== "" && <del>{from}</del>}
                {to !== "" && <ins>{to}</ins>}
              </li>
            ))}
          </ul>
        </Scrolled>
      )}
      {moved.length > 0 && (
        <Scrolled label={t("deployment.files")}>
          <ul className={classes.files}>
            {moved.map(({ path, change, bytes }) => (
              <li key={path}>
                <span className="mono">{path}</span>
                <span className={classes.second}>{t(`deployment.file.${change}`)}</span>
                <span className={`${classes.second} num`}>{format.bytes(bytes)}</span>
              </li>
            ))}
          </ul>
        </Scrolled>
      )}
    </section>
  );
}

/** A region that scrolls must be reachable by keyboard. */
function Scrolled({ label, children }: { label: string; children: ReactNode }) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label={label} tabIndex={0} className={classes.scrolled}>
      {children}
    </div>
  );
}

function Progress({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation("statuspage");
  const state = viewState(useQuery(deployQuery(id)));
  if (state.kind === "loading") return <Skeleton rows={4} />;
  if (state.kind === "error")
    return <ProblemView error={state.error} tried={t("deploys.loadFailed")} onRetry={state.retry} />;
  const deploy = state.data;
  return (
    <div className={classes.stack}>
      <div role="status">
        <DeployStatus state={deploy.state} />
      </div>
      <ul className={classes.plainList}>
        {deploy.targets.map((target) => (
          <li key={target.target_id} className={classes.two}>
            <span className={classes.updateHead}>
              <span className="strong">{target.label}</span>
              <Status
                kind={
                  target.state === "failed"
                    ? "failed"
                    : target.state === "live"
                      ? "in-sync"
                      : target.state === "unchanged"
                        ? "skipped"
                        : "applying"
                }
              >
                {t(`placed.${target.state}`)}
              </Status>
            </span>
            {target.state === "failed" ? (
              <span className={classes.badText}>{target.error}</span>
            ) : (
              target.address !== "" && (
                <a href={target.address} target="_blank" rel="noreferrer" className={classes.cut}>
                  {target.address}
                </a>
              )
            )}
          </li>
        ))}
      </ul>
      {deploy.state === "failed" && <p className="soft">{t("deployment.oldStays")}</p>}
      <DialogFoot>
        <Action size="dialog" kind="filled" onClick={onClose}>
          {t(isUnderWay(deploy) ? "deployment.goesOn" : "close")}
        </Action>
      </DialogFoot>
    </div>
  );
}
