import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogBody, DialogForm } from "@/components/dialog/dialog-form";
import { FormProblems } from "@/components/form/form-problems";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { CodeBlock } from "@/components/text/code-block";
import { connectionsQuery, useSetUpFresh, wayQuery, type Fresh, type Way } from "../api";
import { causeOf } from "../causes";
import { ConnectionFields } from "../connection-fields";
import { freshOf } from "../draft";
import { FreshCredentials } from "./fresh-credentials";
import { fieldIds, useDraft } from "../use-draft";

interface FreshProps {
  /** The credentials are stored elsewhere by whoever has read them. */
  onDone: (fresh: Fresh) => void;
  onTyped?: (typed: boolean) => void;
  /** The credentials are on the screen, for this once. */
  onShown?: (shown: boolean) => void;
  doneWord: string;
  /** Places the one act among the others; there is none while nothing can be done. */
  foot: (act: ReactNode) => ReactNode;
}

/** Sets up a proxy panel that nobody has entered yet, where the panel's environment allows it. */
export function FreshPanel(props: FreshProps) {
  const { t } = useTranslation("proxypanel");
  const [open, setOpen] = useState(false);
  const way = useQuery({ ...wayQuery, enabled: !open });
  if (way.data?.kind === "open" && !open) setOpen(true);
  // From here on nothing takes the form away, nor the credentials that come of it.
  if (open) return <Form {...props} />;
  if (way.error && !way.data)
    return (
      <DialogBody>
        <ProblemView error={way.error} onRetry={() => void way.refetch()} />
        {props.foot(null)}
      </DialogBody>
    );
  if (!way.data) return <Skeleton rows={3} />;
  return (
    <DialogBody>
      {way.data.kind === "closed" ? <Closed way={way.data} /> : <p>{t("fresh.over")}</p>}
      {props.foot(
        way.data.kind === "closed" && (
          <Action size="dialog" kind="filled" busy={way.isFetching} onClick={() => void way.refetch()}>
            {t("fresh.again")}
          </Action>
        ),
      )}
    </DialogBody>
  );
}

/** The line for the environment and the restart, each to be copied. */
function Closed({ way: { variable, restart } }: { way: Extract<Way, { kind: "closed" }> }) {
  const { t } = useTranslation("proxypanel");
  return (
    <>
      <p className="soft">{t("fresh.closed")}</p>
      <p>{t("fresh.write")}</p>
      <CodeBlock value={variable} what={t("fresh.line")} />
      <p>{t("fresh.restart")}</p>
      <CodeBlock value={restart} what={t("fresh.command")} />
      <p className="dim">{t("fresh.after")}</p>
    </>
  );
}

function Form({ onDone, onTyped, onShown, doneWord, foot }: FreshProps) {
  const { t } = useTranslation("proxypanel");
  const queries = useQueryClient();
  const { data, error, isPending, mutate } = useSetUpFresh();
  const { draft, set, errorOf, submit, typed } = useDraft({
    fresh: true,
    error,
    send: (ready) => {
      if (isPending) return;
      mutate(freshOf(ready), {
        onSuccess: () => void queries.invalidateQueries({ queryKey: connectionsQuery.queryKey }),
      });
    },
  });
  const shown = data !== undefined;
  useEffect(() => onTyped?.(typed && !shown), [onTyped, typed, shown]);
  useEffect(() => onShown?.(shown), [onShown, shown]);
  if (data) return <FreshCredentials fresh={data} doneWord={doneWord} onDone={() => onDone(data)} foot={foot} />;
  return (
    <DialogForm onSubmit={submit}>
      <p className="soft">{t("fresh.text")}</p>
      <Refusal error={error} />
      <ConnectionFields draft={draft} set={set} errorOf={errorOf} fresh />
      <p className="dim" role="status">
        {isPending ? t("fresh.asking") : ""}
      </p>
      {foot(
        <Action size="dialog" kind="filled" type="submit" busy={isPending}>
          {t("fresh.submit")}
        </Action>,
      )}
    </DialogForm>
  );
}

/** Why the proxy panel could not be set up: in the sentences of its cause, where the panel names one. */
function Refusal({ error }: { error: unknown }) {
  const { t } = useTranslation("proxypanel");
  const word = isProblem(error) ? error.document.cause : undefined;
  if (typeof word !== "string") return <FormProblems error={error} fields={fieldIds} />;
  const cause = causeOf(word);
  return (
    <ProblemNote error={error}>
      <p className="strong">{t(`cause.${cause}.wrong`, { word, version: "", down: 0, total: 0 })}</p>
      <p>{t(`cause.${cause}.todo`)}</p>
    </ProblemNote>
  );
}
