import { IconChevronRight, IconCircleCheck, IconLock, IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action, ActionLink } from "@/components/action/action";
import { Card, Figures } from "@/components/layout/card";
import { Glyph } from "@/components/status/glyph";
import { PageHeader } from "@/components/layout/page-header";
import { RelativeTime } from "@/components/text/relative-time";
import { usePhone } from "@/components/screen/use-phone";
import type { AttentionItem, OverviewPart } from "@/module";
import { FirstSteps, type FirstStep } from "./first-steps";
import classes from "./overview.module.css";

interface OverviewViewProps {
  parts: { name: string; part: OverviewPart }[];
  attention: AttentionItem[];
  /** Names of what the account may not see: nothing can be said about it. */
  unseen: string[];
  steps: FirstStep[];
  setupOpen: boolean;
}

export function OverviewView({ parts, attention, unseen, steps, setupOpen }: OverviewViewProps) {
  const { t } = useTranslation("overview");
  const fresh = steps.length > 0 && steps.some((step) => !step.done);
  const pick = (key: "Tile" | "Strip" | "Card" | "Side") =>
    parts.flatMap(({ name, part }) => (part[key] ? [{ name, Part: part[key] }] : []));
  const tiles = pick("Tile");
  const strips = pick("Strip");
  const sides = pick("Side");
  return (
    <>
      <PageHeader title={t("title")} meta={t("zone", { zone: timeZone() })} actions={<AddNode />} />
      {setupOpen && (
        <p className={classes.setup}>
          {t("setupOpen")} <Link to="/setup">{t("setupContinue")}</Link>
        </p>
      )}
      {fresh && <FirstSteps steps={steps} />}
      <Card flush className={classes.top}>
        <Figures>
          {tiles.map(({ name, Part }) => (
            <Part key={name} />
          ))}
        </Figures>
        {strips.map(({ name, Part }) => (
          <Part key={name} />
        ))}
      </Card>
      <div className={classes.middle} data-single={sides.length === 0 || undefined}>
        <Attention items={attention} unseen={unseen} />
        {sides.map(({ name, Part }) => (
          <Part key={name} />
        ))}
      </div>
      <div className={classes.cards}>
        {pick("Card").map(({ name, Part }) => (
          <Part key={name} />
        ))}
      </div>
    </>
  );
}

function AddNode() {
  const { t } = useTranslation("overview");
  const block = useWriteBlock({ needs: "nodes.edit" });
  if (block) {
    return (
      <Action icon={IconPlus} reason={block}>
        {t("addNode")}
      </Action>
    );
  }
  return (
    <ActionLink to="/nodes/new" icon={IconPlus}>
      {t("addNode")}
    </ActionLink>
  );
}

function Attention({ items, unseen }: { items: AttentionItem[]; unseen: string[] }) {
  const { t } = useTranslation("overview");
  const phone = usePhone();
  return (
    <Card
      title={t("attention")}
      aside={items.length > 0 ? <span className="num">{items.length}</span> : undefined}
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
          <IconCircleCheck size={18} stroke={1.6} aria-hidden />
          {t("calm")}
        </p>
      ) : (
        <ul>
          {items.map((item) =>
            phone ? <PhoneItem key={item.id} item={item} /> : <WideItem key={item.id} item={item} />,
          )}
        </ul>
      )}
    </Card>
  );
}

function WideItem({ item }: { item: AttentionItem }) {
  return (
    <li className={classes.item}>
      <Glyph kind={item.glyph} />
      <span className={classes.what}>
        <b>{item.name}</b> {item.what}
      </span>
      <span className={classes.effect}>{item.effect}</span>
      <span className={`${classes.since} num`}>{item.since && <RelativeTime at={item.since} bare />}</span>
      <Link to={item.act.path} className={classes.act}>
        {item.act.label}
      </Link>
    </li>
  );
}

function PhoneItem({ item }: { item: AttentionItem }) {
  return (
    <li>
      <Link to={item.act.path} className={classes.phoneItem}>
        <Glyph kind={item.glyph} />
        <span>
          <span className={classes.phoneLine}>
            <b>{item.name}</b>
            <span className="dim">{item.since && <RelativeTime at={item.since} bare />}</span>
          </span>
          <span className="soft">{item.what}</span>
        </span>
        <IconChevronRight size={16} stroke={1.6} aria-hidden />
      </Link>
    </li>
  );
}

function timeZone(): string {
  const minutes = -new Date().getTimezoneOffset();
  const sign = minutes < 0 ? "−" : "+";
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes === 0 ? "" : `${sign}${hours}${rest ? `:${String(rest).padStart(2, "0")}` : ""}`}`;
}
