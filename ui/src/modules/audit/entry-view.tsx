import { IconChevronDown, IconChevronUp, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Facts } from "@/components/layout/card";
import { CopyButton } from "@/components/action/copy-button";
import { Glyph } from "@/components/status/glyph";
import { ProblemView } from "@/components/state/problem-view";
import { RelativeTime } from "@/components/text/relative-time";
import { Skeleton } from "@/components/state/states";
import { Problem } from "@/api/problem";
import { deviceName } from "@/text/device-name";
import { placeText } from "@/text/place";
import { problemText } from "@/text/problem-text";
import { useFormat, useLanguage } from "@/text/use-format";
import type { Entry } from "./api";
import classes from "./audit.module.css";
import { EntryDiff } from "./entry-diff";
import type { AuditFilter } from "./filter";
import { placeOf, refusalOf, Result, useActionWords, useObjectName, Who } from "./words";

interface EntryViewProps {
  entry: Entry | undefined;
  error: unknown;
  neighbours: { newer?: string; older?: string };
  onOpen: (id: string | undefined) => void;
  onFilter: (change: Partial<AuditFilter>) => void;
  onClose: () => void;
}

/** One entry in full: who, from where, what it changed, and its place in the chain. */
export function EntryView({ entry, error, neighbours, onOpen, onFilter, onClose }: EntryViewProps) {
  const { t } = useTranslation("audit");
  const words = useActionWords();
  const objectName = useObjectName();
  return (
    <>
      <header className={classes.entryHead}>
        <div className={classes.entryTitle}>
          <span className="mono soft">{entry?.action}</span>
          <h2>{entry && (entry.object.name ? `${words(entry.action)}: ${objectName(entry)}` : words(entry.action))}</h2>
        </div>
        <Action
          kind="ghost"
          iconOnly
          icon={IconChevronUp}
          reason={neighbours.newer ? undefined : t("entry.noNewer")}
          onClick={() => onOpen(neighbours.newer)}
        >
          {t("entry.newer")}
        </Action>
        <Action
          kind="ghost"
          iconOnly
          icon={IconChevronDown}
          reason={neighbours.older ? undefined : t("entry.noOlder")}
          onClick={() => onOpen(neighbours.older)}
        >
          {t("entry.older")}
        </Action>
        <Action kind="ghost" iconOnly icon={IconX} onClick={onClose}>
          {t("close")}
        </Action>
      </header>
      <div className={classes.entryBody}>
        {entry ? (
          <>
            <EntryFacts entry={entry} onFilter={onFilter} />
            {refusalOf(entry) === undefined && <EntryDiff changes={entry.changes} />}
            <Chain entry={entry} />
          </>
        ) : error ? (
          <ProblemView error={error} tried={t("entry.failed")} />
        ) : (
          <Skeleton rows={6} />
        )}
      </div>
    </>
  );
}

function EntryFacts({ entry, onFilter }: { entry: Entry; onFilter: EntryViewProps["onFilter"] }) {
  const { t: named } = useTranslation("words");
  const { t } = useTranslation("audit");
  const format = useFormat();
  const language = useLanguage();
  const { actor, object } = entry;
  const place = placeOf(entry);
  const name = useObjectName()(entry);
  const device = deviceName(entry.user_agent);
  const items: { name: string; value: ReactNode }[] = [
    {
      name: t("entry.when"),
      value: (
        <>
          {format.date(entry.at)} {format.clock(entry.at, true)}, <RelativeTime at={entry.at} />
        </>
      ),
    },
    {
      name: t("entry.who"),
      value: (
        <span className={classes.fact}>
          <Who actor={actor} />
          {actor.kind === "admin" && <span className="dim">{t("actor.admin")}</span>}
          {(actor.name || actor.id) && (
            <Action kind="link" onClick={() => onFilter({ actor: actor.name || actor.id })}>
              {t("entry.allOf")}
            </Action>
          )}
        </span>
      ),
    },
    {
      name: t("entry.object"),
      value: (
        <span className={classes.fact}>
          <span className="dim">{named(`object.${object.type}`, { defaultValue: object.type })}</span>
          {place ? <Link to={place}>{object.name || object.id}</Link> : <span>{object.name ? name : object.id}</span>}
          {object.id && (
            <Action kind="link" onClick={() => onFilter({ object: object.id })}>
              {t("entry.allOf")}
            </Action>
          )}
        </span>
      ),
    },
  ];
  if (entry.ip || device)
    items.push({
      name: t("entry.from"),
      value: (
        <span className={classes.fact}>
          {entry.ip && <span className="mono">{entry.ip}</span>}{" "}
          {entry.place && <span>{placeText(entry.place, language)}</span>}{" "}
          <span className="dim" title={entry.user_agent}>
            {device}
          </span>
        </span>
      ),
    });
  items.push({ name: t("entry.result"), value: <Result entry={entry} /> });
  const refusal = refusalOf(entry);
  if (refusal !== undefined)
    items.push({
      name: t("entry.reason"),
      value: (
        <span className={classes.fact}>
          {problemText(new Problem({ status: 403, code: refusal }))} <span className="mono dim">{refusal}</span>
        </span>
      ),
    });
  if (entry.request_id)
    items.push({ name: t("entry.request"), value: <Copied value={entry.request_id} what={t("entry.request")} /> });
  items.push({ name: t("entry.id"), value: <Copied value={entry.id} what={t("entry.id")} /> });
  return (
    <>
      <Facts nameWidth={96} items={items} />
      <CopyButton
        value={`${window.location.origin}/audit?entry=${entry.id}`}
        what={t("entry.link")}
        text={t("entry.copyLink")}
        iconOnly={false}
        kind="default"
      />
    </>
  );
}

function Copied({ value, what }: { value: string; what: string }) {
  return (
    <span className={classes.copied}>
      <span className="mono">{value}</span>
      <CopyButton value={value} what={what} />
    </span>
  );
}

const shown = 8;

function Chain({ entry }: { entry: Entry }) {
  const { t } = useTranslation("audit");
  const sealed = entry.seq !== null && entry.hash;
  return (
    <p className={classes.chain}>
      <Glyph kind={sealed ? "in-sync" : "applying"} size={10} />
      {sealed ? t("chain.sealed", { seq: entry.seq }) : t("chain.open")}
      {sealed && (
        <span className="mono" title={`${entry.hash_prev} → ${entry.hash}`}>
          {entry.hash_prev?.slice(0, shown) || "0"}… → {entry.hash?.slice(0, shown)}…
        </span>
      )}
    </p>
  );
}
