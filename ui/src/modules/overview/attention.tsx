import { IconChevronRight, IconCircleCheck, IconLock } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { usePhone } from "@/components/screen/use-phone";
import { Glyph, Spinner } from "@/components/status/glyph";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import classes from "./attention.module.css";
import type { ShownItem } from "./without-covered";

const shownFirst = 8;

/** What needs a person, one line for one cause, worst first. What is not shown is counted and one click away. */
export function Attention({ items, asking, unseen }: { items: ShownItem[]; asking: boolean; unseen: string[] }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  const phone = usePhone();
  const [all, setAll] = useState(false);
  const count = items.reduce((sum, item) => sum + (item.count ?? 1), 0);
  const shown = all ? items : items.slice(0, shownFirst);
  const hidden = items.slice(shown.length).reduce((sum, item) => sum + (item.count ?? 1), 0);
  const Item = phone ? PhoneItem : WideItem;
  return (
    <Card
      title={t("attention")}
      aside={count > 0 ? <span className="num">{format.number(count)}</span> : undefined}
      label={t("attention")}
      className={classes.attention}
      flush
    >
      {unseen.length > 0 && (
        <p className={classes.calm}>
          <IconLock size={18} stroke={1.6} aria-hidden />
          {t("unseen", { names: unseen.join(", ") })}
        </p>
      )}
      {items.length === 0 && unseen.length === 0 ? (
        <p className={classes.calm}>
          {asking ? <Spinner size={18} /> : <IconCircleCheck size={18} stroke={1.6} aria-hidden />}
          {t(asking ? "asking" : "calm")}
        </p>
      ) : (
        <ul>
          {shown.map((item) => (
            <Item key={item.id} item={item} />
          ))}
        </ul>
      )}
      {items.length > shownFirst && (
        <div className={classes.rest}>
          <Action kind="link" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? t("showFewer") : t("showRest", { count: hidden, shown: format.number(hidden) })}
          </Action>
        </div>
      )}
    </Card>
  );
}

function WideItem({ item }: { item: ShownItem }) {
  return (
    <li className={classes.item}>
      <Glyph kind={item.glyph} />
      <span className={classes.words}>
        <span className={classes.what}>
          <b>{item.name}</b> {item.what}
        </span>
        {item.members && <span className={classes.members}>{item.members}</span>}
        <Covered item={item} className={classes.members} />
      </span>
      <span className={classes.effect}>{item.effect}</span>
      <span className={`${classes.since} num`}>{item.since && <RelativeTime at={item.since} bare />}</span>
      <Link to={item.act.path} search={item.act.search} className={classes.act}>
        {item.act.label}
      </Link>
    </li>
  );
}

function PhoneItem({ item }: { item: ShownItem }) {
  return (
    <li>
      <Link to={item.act.path} search={item.act.search} className={classes.phoneItem}>
        <Glyph kind={item.glyph} />
        <span className={classes.words}>
          <span className={classes.phoneLine}>
            <b>{item.name}</b>
            <span className="dim num">{item.since && <RelativeTime at={item.since} bare />}</span>
          </span>
          <span className="soft">{item.what}</span>
          {item.members && <span className="dim">{item.members}</span>}
          {item.effect && <span className="dim">{item.effect}</span>}
          <Covered item={item} className="dim" />
        </span>
        <IconChevronRight size={16} stroke={1.6} aria-hidden />
      </Link>
    </li>
  );
}

/** How many lines about the same stand no more in the list. */
function Covered({ item: { covered }, className }: { item: ShownItem; className: string | undefined }) {
  const { t } = useTranslation("overview");
  return covered ? <span className={className}>{t("covered", { count: covered })}</span> : null;
}
