import { Menu } from "@mantine/core";
import { IconPlayerStop, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { toastProblem } from "@/components/state/toast";
import { Spinner } from "@/components/status/glyph";
import { RelativeTime } from "@/components/text/relative-time";
import { useCancelAnswer, useForget, type Question } from "../api";
import { AnswerText } from "./answer-text";
import { ProposalCard } from "./proposal-card";
import { ReadList, RefusedList } from "./read-list";
import classes from "./sheet.module.css";
import { Suggestions } from "./suggestions";
import { useAnswerStream } from "./use-answer-stream";

/** One question and what was answered. */
export function Exchange({
  question,
  last,
  onAsk,
  onFollow,
}: {
  question: Question;
  last: boolean;
  onAsk: (text: string) => void;
  onFollow: (() => void) | undefined;
}) {
  const { t } = useTranslation("assistant");
  const { answer } = question;
  return (
    <li className={classes.exchange}>
      <div className={classes.question}>
        <p>{question.text}</p>
        <ExchangeMenu question={question} />
      </div>
      {question.state === "running" ? (
        <Running question={question} />
      ) : (
        <div className={classes.answer} role={last ? "status" : undefined}>
          {question.state === "cancelled" && <p className="dim">{t("cancelled")}</p>}
          {question.error && <p className={classes.warning}>{question.error.text}</p>}
          <AnswerText paragraphs={answer.paragraphs} onFollow={onFollow} />
          {answer.proposals.map((proposal) => (
            <ProposalCard key={proposal.id} proposal={proposal} />
          ))}
          {last && <Suggestions items={answer.suggestions} onAsk={onAsk} />}
          <RefusedList calls={answer.refused} />
          <ReadList read={answer.read} />
        </div>
      )}
    </li>
  );
}

function ExchangeMenu({ question }: { question: Question }) {
  const { t } = useTranslation("assistant");
  const forget = useForget();
  return (
    <span className={classes.when}>
      <RelativeTime at={question.asked_at} />
      <RowMenu name={question.text}>
        <Menu.Item
          leftSection={<IconTrash size={15} />}
          onClick={() => forget.mutate(question.id, { onError: (error) => toastProblem(t("forget.failed"), error) })}
        >
          {t("forget.one")}
        </Menu.Item>
      </RowMenu>
    </span>
  );
}

/** What a model has said so far. */
function Running({ question }: { question: Question }) {
  const { t } = useTranslation("assistant");
  const cancel = useCancelAnswer();
  const { text, read, refused } = useAnswerStream(question.id);
  return (
    <div className={classes.answer} aria-busy>
      {text !== "" && <p className={classes.paragraph}>{text}</p>}
      <RefusedList calls={refused} />
      <div className={classes.running}>
        <Spinner size={14} />
        <span className="dim" role="status">
          {read.length > 0 ? t("reads", { path: read.at(-1)!.path }) : t("thinks")}
        </span>
        <Action
          size="bar"
          icon={IconPlayerStop}
          busy={cancel.isPending}
          onClick={() => cancel.mutate(question.id, { onError: (error) => toastProblem(t("notCancelled"), error) })}
        >
          {t("cancel")}
        </Action>
      </div>
    </div>
  );
}
