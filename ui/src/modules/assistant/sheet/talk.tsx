import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useTablet } from "@/components/screen/use-phone";
import { Action } from "@/components/action/action";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import { useLanguage } from "@/text/use-format";
import { questionsQuery, useAsk, type State } from "../api";
import { Composer } from "./composer";
import { Exchange } from "./exchange";
import classes from "./sheet.module.css";
import { Suggestions } from "./suggestions";

/** The questions and answers so far, oldest first, and the field for the next one. */
export function Talk({
  state,
  page,
  onSetUp,
  onFollow,
}: {
  state: State;
  page: string;
  onSetUp: () => void;
  onFollow: () => void;
}) {
  const { t } = useTranslation("assistant");
  const language = useLanguage();
  const list = useInfiniteQuery(questionsQuery);
  const ask = useAsk();
  const [text, setText] = useState("");
  const covers = useTablet();
  const questions = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const [newest] = questions;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (newest?.id !== undefined) end.current?.scrollIntoView?.({ block: "end" });
  }, [newest?.id, newest?.state]);
  const closed = closedBecause(state, t);
  const put = (words: string) => {
    if (closed !== undefined || ask.isPending || words.trim() === "") return;
    ask.mutate({ text: words.trim(), language, page }, { onSuccess: () => setText("") });
  };
  return (
    <>
      <div className={classes.talk}>
        {list.error && <ProblemView error={list.error} tried={t("loadFailed")} onRetry={() => void list.refetch()} />}
        {list.isPending && <Skeleton rows={4} />}
        {list.hasNextPage && (
          <Action kind="ghost" size="bar" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t("earlier")}
          </Action>
        )}
        {list.data && questions.length === 0 && <Welcome state={state} onAsk={put} onSetUp={onSetUp} />}
        <ol className={classes.exchanges} aria-label={t("answers")}>
          {questions.toReversed().map((question) => (
            <Exchange
              key={question.id}
              question={question}
              last={question.id === newest?.id}
              onAsk={put}
              onFollow={covers ? onFollow : undefined}
            />
          ))}
        </ol>
        <div ref={end} />
      </div>
      <div className={classes.foot}>
        {ask.error !== null && <ProblemNote error={ask.error} />}
        {closed !== undefined && <p className={classes.closed}>{closed}</p>}
        {closed === undefined && newest?.answer.suggestions.length === 0 && (
          <Suggestions items={state.suggestions.slice(0, 3)} onAsk={put} />
        )}
        <Composer text={text} onText={setText} onSend={() => put(text)} busy={ask.isPending} closed={closed} />
        <p className={classes.fine}>{t(state.model.on ? "fine.model" : "fine.builtIn")}</p>
      </div>
    </>
  );
}

/** Why nothing can be asked right now. */
function closedBecause(state: State, t: (key: string) => string): string | undefined {
  if (state.read_only) return t("readOnly");
  return state.available ? undefined : t("notInPlan");
}

function Welcome({ state, onAsk, onSetUp }: { state: State; onAsk: (text: string) => void; onSetUp: () => void }) {
  const { t } = useTranslation("assistant");
  return (
    <div className={classes.welcome}>
      <p className="strong">{t("welcome.title")}</p>
      <p className="soft">{t("welcome.text")}</p>
      <Suggestions items={state.suggestions} onAsk={onAsk} />
      <button type="button" className={classes.suggestion} onClick={onSetUp}>
        {t("helper.title")}
      </button>
    </div>
  );
}
