import { IconEye } from "@tabler/icons-react";
import { QRCodeSVG } from "qrcode.react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { CopyButton } from "@/components/action/copy-button";
import { ProblemNote } from "@/components/state/problem-view";
import { useNow } from "@/components/text/use-now";
import { shownFor, type Once } from "./once";
import classes from "./secret.module.css";

interface SecretCodeProps<Value> {
  state: Once<Value>;
  onReveal: () => void;
  /** The secret itself, which is drawn as a code and as text. */
  text: (value: Value) => string;
  /** What the code holds where it is not the text, and what stands between code and text. */
  code?: (value: Value) => string;
  between?: (value: Value) => ReactNode;
  /** What the code is, for those who cannot see it, and what is copied. */
  codeName: string;
  what: string;
  /** The button that reveals it, and what is said once it is hidden again. */
  act: string;
  gone: string;
  note?: (value: Value) => ReactNode;
}

/** A secret behind a button: then its code for a phone's camera, its text, and how long it stays. */
export function SecretCode<Value>(props: SecretCodeProps<Value>) {
  const { state, onReveal, text, code = text, between, codeName, what, act, gone, note } = props;
  if (state.kind !== "shown") {
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
  const secret = text(state.value);
  return (
    <>
      <div className={classes.qr}>
        <QRCodeSVG value={code(state.value)} size={232} level="L" title={codeName} />
      </div>
      {between?.(state.value)}
      <code className={classes.text} data-testid="link">
        {secret}
      </code>
      <div className={classes.foot}>
        <span className="dim">
          {note && (
            <>
              {note(state.value)}
              <br />
            </>
          )}
          <Countdown until={state.until} />
        </span>
        <CopyButton value={secret} what={what} kind="filled" iconOnly={false} />
      </div>
    </>
  );
}

function Countdown({ until }: { until: number }) {
  const { t } = useTranslation("app");
  const left = Math.min(shownFor / 1000, Math.max(0, Math.ceil((until - useNow()) / 1000)));
  return <span className="num">{t("secret.hides", { seconds: left })}</span>;
}
