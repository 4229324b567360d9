import { IconHistory, IconPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { serverNow } from "@/api/server-clock";
import { Action, ActionLink } from "@/components/action/action";
import { Segmented } from "@/components/form/segmented";
import { Card, Figures } from "@/components/layout/card";
import { Meta, PageHeader } from "@/components/layout/page-header";
import { InSight } from "@/components/screen/in-sight";
import { usePhone } from "@/components/screen/use-phone";
import { ranges, useRange, type Range } from "@/components/screen/use-range";
import { FiguresAge } from "@/components/text/figures-age";
import type { OverviewPart } from "@/module";
import { useFormat } from "@/text/use-format";
import { Attention } from "./attention";
import { FirstSteps, type FirstStep } from "./first-steps";
import classes from "./overview.module.css";
import { PastView } from "./past/past-view";
import { useMoment } from "./past/use-moment";
import { RecentWork } from "./recent-work";
import type { ShownItem } from "./without-covered";

interface OverviewViewProps {
  parts: { name: string; part: OverviewPart }[];
  attention: ShownItem[];
  /** Some parts have not said yet whether they need somebody. */
  asking?: boolean;
  /** Names of what the account may not see: nothing can be said about it. */
  unseen: string[];
  steps: FirstStep[];
  setupOpen: boolean;
}

type Slot = { [Key in keyof OverviewPart]: OverviewPart[Key] extends ComponentType | undefined ? Key : never };

export function OverviewView({ parts, attention, asking = false, unseen, steps, setupOpen }: OverviewViewProps) {
  const { t } = useTranslation("overview");
  const phone = usePhone();
  const [at, move] = useMoment();
  const fresh = steps.length > 0 && steps.some((step) => !step.done);
  const draw = (key: NonNullable<Slot[keyof Slot]>) =>
    parts.flatMap(({ name, part }) => {
      const Part = part[key] as ComponentType | undefined;
      return Part ? [<Part key={name} />] : [];
    });
  const [strips, health] = [draw("Strip"), draw("Health")];
  if (at !== undefined) {
    return (
      <div className={classes.page}>
        <Head past={{ at, move }} />
        <PastView at={at} onMove={move} parts={parts} />
      </div>
    );
  }
  return (
    <div className={classes.page}>
      <Head past={{ at, move }} />
      {setupOpen && (
        <p className={classes.setup}>
          {t("setupOpen")} <Link to="/setup">{t("setupContinue")}</Link>
        </p>
      )}
      {fresh && <FirstSteps steps={steps} />}
      <Card flush className={classes.top}>
        <Figures>{draw("Tile")}</Figures>
        {!phone && strips}
      </Card>
      <div className={classes.middle}>
        <Attention items={attention} asking={asking} unseen={unseen} />
        <div className={classes.side}>
          {draw("Side")}
          <RecentWork />
        </div>
      </div>
      {phone && strips.length > 0 && (
        <Card flush className={classes.top}>
          {strips}
        </Card>
      )}
      <InSight height={500}>
        <div className={classes.cards}>
          {draw("Card")}
          {health.length > 0 ? health : draw("Fallback")}
        </div>
      </InSight>
    </div>
  );
}

function Head({ past: { at, move } }: { past: { at: string | undefined; move: (at: number | undefined) => void } }) {
  const { t } = useTranslation("overview");
  const format = useFormat();
  const [range, setRange] = useRange(at === undefined ? "24h" : "30d");
  return (
    <PageHeader
      title={t("title")}
      meta={
        <>
          <Meta>{at === undefined ? <FiguresAge /> : <b>{t("past.as", { moment: format.moment(at) })}</b>}</Meta>
          <Meta>{t("zone", { zone: timeZone() })}</Meta>
        </>
      }
      actions={
        <>
          <Segmented<Range>
            label={t("range")}
            value={range}
            onChange={setRange}
            options={(Object.keys(ranges) as Range[]).map((value) => ({ value, label: t(`ranges.${value}`) }))}
          />
          {at === undefined && (
            <Action icon={IconHistory} onClick={() => move(serverNow() - hour)}>
              {t("past.title")}
            </Action>
          )}
          <AddNode />
        </>
      }
    />
  );
}

const hour = 3_600_000;

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

function timeZone(): string {
  const minutes = -new Date().getTimezoneOffset();
  const sign = minutes < 0 ? "−" : "+";
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes === 0 ? "" : `${sign}${hours}${rest ? `:${String(rest).padStart(2, "0")}` : ""}`}`;
}
