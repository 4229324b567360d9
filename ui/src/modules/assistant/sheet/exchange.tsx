import { Menu } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { RowMenu } from "@/components/action/row-menu";
import { toastProblem } from "@/components/state/toast";
import { RelativeTime } from "@/components/text/relative-time";
import { useForget, type Question } from "../api";
import { AnswerText } from "./answer-text";
import { ProposalCard } from "./proposal-card";
import { ReadList } from "./read-list";
import classes from "./sheet.module.css";
import { Suggestions } from "./talk";

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
  const { answer } = question;
  return (
    <li className={classes.exchange}>
      <div className={classes.question}>
        <p>{question.text}</p>
        <ExchangeMenu question={question} />
      </div>
      <div className={classes.answer} role={last ? "status" : undefined}>
        <AnswerText paragraphs={answer.paragraphs} onFollow={onFollow} />
        {answer.proposals.map((proposal) => (
          <ProposalCard key={proposal.id} proposal={proposal} />
        ))}
        {last && <Suggestions items={answer.suggestions} onAsk={onAsk} />}
        <ReadList read={answer.read} />
      </div>
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
