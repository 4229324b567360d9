import { Menu } from "@mantine/core";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { IconChevronDown, IconShieldCheck } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { EmptyState } from "@/components/state/states";
import type { Column, Sorting } from "@/components/table/data-table";
import { SelectionBar } from "@/components/table/selection-bar";
import type { OwnLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import classes from "../abuse.module.css";
import { actsOn, actsTogether, type CaseAct } from "../acts/acts";
import { useBlock } from "../header";
import { certaintyOf } from "../shared/kinds";
import { type Read } from "@/components/table/list-query";
import { Listing } from "../shared/lists";
import { useSentence, type Sentence } from "../shared/sentence";
import { UserLink } from "../shared/user";
import type { CaseLine } from "./api";
import { CaseStatus, Score } from "./case-words";
import type { Chosen } from "./use-chosen";

interface CasesTableProps {
  list: UseInfiniteQueryResult<Read<CaseLine>>;
  own: OwnLook;
  sorting?: Sorting;
  chosen?: Chosen;
  onAct?: (act: CaseAct, cases: readonly CaseLine[]) => void;
  /** Takes the filters off; without any, an empty list says what cases are. */
  onClear?: () => void;
  /** A column that says nothing here. */
  without?: string;
}

/** Cases as rows; each leads to its page. */
export function CasesTable({ list, own, sorting, chosen, onAct, onClear, without }: CasesTableProps) {
  const { t } = useTranslation("abuse");
  const navigate = useNavigate();
  const say = useSentence();
  const name = ({ number }: CaseLine) => t("case.name", { number });
  return (
    <Listing
      list={list}
      label={t("cases.tab")}
      columns={useColumns(say).filter(({ key }) => key !== without)}
      rowId={({ id }) => id}
      rowName={name}
      rowHeight="two"
      look={own}
      sorting={sorting}
      selection={chosen?.selection}
      bar={chosen && onAct && <Bar chosen={chosen} onAct={onAct} />}
      onOpen={({ id }) => void navigate({ to: `/abuse/cases/${id}` })}
      file={useFile(say)}
      menu={onAct && ((one) => <Acts line={one} onAct={onAct} />)}
      phone={(one) => <PhoneCase line={one} say={say} />}
      empty={
        onClear ? (
          <EmptyState title={t("cases.nothing")} act={<Action onClick={onClear}>{t("clear")}</Action>} />
        ) : (
          <EmptyState icon={IconShieldCheck} title={t("cases.empty")}>
            {t("cases.emptyText")}
          </EmptyState>
        )
      }
    />
  );
}

function Bar({ chosen, onAct }: { chosen: Chosen; onAct: NonNullable<CasesTableProps["onAct"]> }) {
  const { t } = useTranslation("abuse");
  const block = useBlock();
  const [first, second, ...rest] = actsTogether;
  const button = (act: CaseAct) => (
    <Action key={act} size="bar" reason={block} onClick={() => onAct(act, chosen.cases)}>
      {t(`act.${act}.open`)}
    </Action>
  );
  return (
    <SelectionBar count={chosen.cases.length} every={chosen.every} onClear={chosen.clear}>
      {[first, second].map((act) => act && button(act))}
      <Menu>
        <Menu.Target>
          <Action size="bar" icon={IconChevronDown}>
            {t("act.more")}
          </Action>
        </Menu.Target>
        <Menu.Dropdown>
          {rest.map((act) => (
            <Menu.Item key={act} disabled={block !== undefined} onClick={() => onAct(act, chosen.cases)}>
              {t(`act.${act}.open`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </SelectionBar>
  );
}

function Acts({ line, onAct }: { line: CaseLine; onAct: NonNullable<CasesTableProps["onAct"]> }) {
  const { t } = useTranslation("abuse");
  const block = useBlock();
  return (
    <RowMenu name={t("case.name", { number: line.number })}>
      {actsOn(line).map((act) => (
        <Menu.Item key={act} disabled={block !== undefined} onClick={() => onAct(act, [line])}>
          {t(`act.${act}.open`)}
        </Menu.Item>
      ))}
    </RowMenu>
  );
}

type Say = (sentence: Sentence) => string;

function Name({ line, say }: { line: CaseLine; say: Say }) {
  const { t } = useTranslation("abuse");
  return (
    <span className={classes.two}>
      <Link to={`/abuse/cases/${line.id}`} className="strong">
        {t("case.name", { number: line.number })}
      </Link>
      <span className={classes.second} title={say(line.why)}>
        {say(line.why)}
      </span>
    </span>
  );
}

function useColumns(say: Say): Column<CaseLine>[] {
  const { t } = useTranslation("abuse");
  return [
    { key: "name", head: t("case.one"), cell: (line) => <Name line={line} say={say} /> },
    {
      key: "user",
      head: t("user.one"),
      width: 160,
      cell: ({ user_ref: ref, user }) => <UserLink userRef={ref} label={user.name} />,
    },
    { key: "score", head: t("case.score"), sort: "score", width: 124, cell: (line) => <Score line={line} /> },
    {
      key: "recommended",
      head: t("case.suggested"),
      width: 140,
      drop: 2,
      cell: ({ recommended }) => <span className="soft">{t(`case.step.${recommended}`)}</span>,
    },
    {
      key: "confidence",
      head: t("signals.certain"),
      width: 110,
      drop: 4,
      cell: ({ confidence }) => <span className="soft">{t(`certainty.${certaintyOf(confidence)}`)}</span>,
    },
    {
      key: "state",
      head: t("case.stateHead"),
      width: 130,
      cell: ({ state }) => <CaseStatus state={state} inTable />,
    },
    {
      key: "nodes",
      head: t("case.seenOn"),
      width: 170,
      drop: 3,
      cell: ({ nodes }) => <span className="soft">{nodes.map(({ name }) => name || t("gone")).join(", ")}</span>,
    },
    {
      key: "opened",
      head: t("case.opened"),
      sort: "opened_at",
      width: 120,
      cell: ({ opened_at: at }) => <RelativeTime at={at} />,
    },
    {
      key: "updated",
      head: t("case.updated"),
      sort: "updated_at",
      width: 120,
      extra: true,
      drop: 5,
      cell: ({ updated_at: at }) => <RelativeTime at={at} />,
    },
  ];
}

function PhoneCase({ line, say }: { line: CaseLine; say: Say }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  return (
    <>
      <Name line={line} say={say} />
      <span className={classes.phone}>
        <UserLink userRef={line.user_ref} label={line.user.name} />
        <span className="num">{t("case.points", { count: line.score, shown: format.number(line.score) })}</span>
        <CaseStatus state={line.state} />
        <span className="dim">
          <RelativeTime at={line.opened_at} />
        </span>
      </span>
    </>
  );
}

function useFile(say: Say) {
  return {
    name: "abuse-cases",
    fields: [
      ["number", ({ number }: CaseLine) => number],
      ["user", ({ user }: CaseLine) => user.name],
      ["user_ref", ({ user_ref: ref }: CaseLine) => ref],
      ["score", ({ score }: CaseLine) => score],
      ["most", ({ most }: CaseLine) => most],
      ["confidence", ({ confidence }: CaseLine) => confidence],
      ["recommended", ({ recommended }: CaseLine) => recommended],
      ["state", ({ state }: CaseLine) => state],
      ["why", ({ why }: CaseLine) => say(why)],
      ["nodes", ({ nodes }: CaseLine) => nodes.map(({ name }) => name).join(" ")],
      ["flows", ({ flows }: CaseLine) => flows.map(({ name }) => name).join(" ")],
      ["opened_at", ({ opened_at: at }: CaseLine) => at],
      ["updated_at", ({ updated_at: at }: CaseLine) => at],
    ] as [string, (line: CaseLine) => string | number][],
  };
}
