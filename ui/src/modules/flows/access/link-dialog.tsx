import { Modal } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import { QRCodeSVG } from "qrcode.react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { serverNow } from "@/api/server-clock";
import { Action } from "@/components/action/action";
import { CopyButton } from "@/components/action/copy-button";
import { ProblemNote } from "@/components/state/problem-view";
import { useNow } from "@/components/text/use-now";
import { issueLink, issuePublicLink, type Client, type ConnectionLink, type Flow } from "../shared/api";
import dialog from "../shared/dialogs.module.css";
import { useEditor } from "../editor/editor-context";

/** How long a revealed secret stays on the screen. */
export const shownFor = 60_000;

/** A value that is asked for once, lives in this component only, and is gone after a minute, on close and on leave. */
export function useOnce<Value>(ask: () => Promise<Value>) {
  const [state, setState] = useState<
    | { kind: "hidden" | "asking" | "gone" }
    | { kind: "failed"; error: unknown }
    | { kind: "shown"; value: Value; until: number }
  >({ kind: "hidden" });
  const until = state.kind === "shown" ? state.until : undefined;
  useEffect(() => {
    if (until === undefined) return;
    const forget = () => setState({ kind: "gone" });
    const timer = setTimeout(forget, until - serverNow());
    window.addEventListener("pagehide", forget);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("pagehide", forget);
    };
  }, [until]);
  const reveal = () => {
    setState({ kind: "asking" });
    ask().then(
      (value) => setState({ kind: "shown", value, until: serverNow() + shownFor }),
      (error: unknown) => setState({ kind: "failed", error }),
    );
  };
  return { state, reveal };
}

interface LinkDialogProps {
  /** Without its version the dialog names the revision that the link matches. */
  flow: Pick<Flow, "id"> & Partial<Pick<Flow, "installed_version_number" | "installed_revision">>;
  client: Pick<Client, "id" | "label">;
  onClose: () => void;
}

export function LinkDialog({ flow, client, onClose }: LinkDialogProps) {
  const { t } = useTranslation("flows");
  const { state, reveal } = useOnce(() => issueLink(flow.id, client.id));
  return (
    <Modal opened onClose={onClose} title={t("link.title", { name: client.label })} size={440}>
      <div className={dialog.body}>
        <p className="soft">
          {flow.installed_version_number == null
            ? t("link.textAny")
            : t("link.text", { number: flow.installed_version_number })}
        </p>
        {state.kind === "shown" ? (
          <ShownLink flow={flow} link={state.value} until={state.until} />
        ) : (
          <Hidden state={state} onReveal={reveal} act={t("link.reveal")} gone={t("link.gone")} />
        )}
      </div>
    </Modal>
  );
}

function ShownLink({
  flow,
  link,
  until,
}: Pick<LinkDialogProps, "flow"> & {
  link: ConnectionLink;
  until: number;
}) {
  const { t } = useTranslation("flows");
  return (
    <>
      <div className={dialog.qr}>
        <QRCodeSVG value={link.conf ?? link.uri} size={232} level="L" title={t("link.qr")} />
      </div>
      {link.conf && (
        <>
          <p className="soft">{t("link.fileHelp")}</p>
          <div>
            <CopyButton value={link.conf} what={t("link.file")} text={t("link.copyFile")} iconOnly={false} />
          </div>
        </>
      )}
      <code className={dialog.uri} data-testid="link">
        {link.uri}
      </code>
      <div className={dialog.foot}>
        <span className="dim">
          {link.revision === flow.installed_revision
            ? t("link.matches", { number: flow.installed_version_number, revision: link.revision })
            : t("link.matchesRevision", { revision: link.revision })}
          <br />
          <Countdown until={until} />
        </span>
        <CopyButton value={link.uri} what={t("link.what")} kind="filled" iconOnly={false} />
      </div>
    </>
  );
}

export function PublicLinkDialog({ client, onClose }: { client: Client; onClose: () => void }) {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const { state, reveal } = useOnce(() => issuePublicLink(flow.id, client.id));
  return (
    <Modal opened onClose={onClose} title={t("publicLink.title", { name: client.label })} size={440}>
      <div className={dialog.body}>
        <p className="soft">{t("publicLink.text")}</p>
        {client.has_public_link && state.kind === "hidden" && <p className="soft">{t("publicLink.replaces")}</p>}
        {state.kind === "shown" ? (
          <>
            <div className={dialog.qr}>
              <QRCodeSVG value={state.value.url} size={200} level="M" title={t("link.qr")} />
            </div>
            <code className={dialog.uri}>{state.value.url}</code>
            <div className={dialog.foot}>
              <span className="dim">
                <Countdown until={state.until} />
              </span>
              <CopyButton value={state.value.url} what={t("publicLink.what")} kind="filled" iconOnly={false} />
            </div>
          </>
        ) : (
          <Hidden state={state} onReveal={reveal} act={t("publicLink.reveal")} gone={t("publicLink.gone")} />
        )}
      </div>
    </Modal>
  );
}

function Hidden({
  state,
  onReveal,
  act,
  gone,
}: {
  state: { kind: string; error?: unknown };
  onReveal: () => void;
  act: string;
  gone: string;
}) {
  return (
    <>
      {state.kind === "failed" && <ProblemNote error={state.error} />}
      {state.kind === "gone" && (
        <p className="soft" role="status">
          {gone}
        </p>
      )}
      <div>
        <Action
          kind="filled"
          size="dialog"
          icon={IconEye}
          busy={state.kind === "asking"}
          onClick={onReveal}
          data-autofocus
        >
          {act}
        </Action>
      </div>
    </>
  );
}

function Countdown({ until }: { until: number }) {
  const { t } = useTranslation("flows");
  const left = Math.min(shownFor / 1000, Math.max(0, Math.ceil((until - useNow()) / 1000)));
  return <span className="num">{t("link.hides", { seconds: left })}</span>;
}
