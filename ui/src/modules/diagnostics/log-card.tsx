import { Select, Switch, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { Segmented } from "@/components/form/segmented";
import { useFormat, useLanguage } from "@/text/use-format";
import { logLevels, type Diagnostics, type LogChoice, type LogComponent, type LogLine } from "./api";
import classes from "./diagnostics.module.css";
import { fitting } from "./log-lines";

export interface LogControl extends LogChoice {
  /** The logs that this server has. */
  here: readonly LogComponent[];
  choose: (change: Partial<LogChoice>) => void;
}

/** The end of one component's log, searched and by level. It stays at the newest line until somebody scrolls up. */
export function LogCard({ log, control }: { log: Diagnostics["log"]; control: LogControl }) {
  const { t } = useTranslation("diagnostics");
  const { source, skipped } = log.translations[useLanguage()] ?? log;
  const [text, setText] = useState("");
  const { component, level, follow, here, choose } = control;
  const lines = fitting(log.lines, text);
  return (
    <Card
      title={t("log.title")}
      right={
        here.length > 1 && (
          <Segmented
            label={t("log.component")}
            value={component}
            onChange={(next) => choose({ component: next })}
            options={here.map((value) => ({ value, label: value }))}
          />
        )
      }
    >
      <div className={classes.block}>
        <div className={classes.tools}>
          <TextInput
            className={classes.find}
            data-search
            aria-label={t("log.find")}
            placeholder={t("log.find")}
            leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Select
            className={classes.pick}
            aria-label={t("log.level")}
            allowDeselect={false}
            data={logLevels.map((value) => ({ value, label: t(`log.levels.${value}`) }))}
            value={level}
            onChange={(value) => choose({ level: value ?? level })}
          />
          <Switch
            label={t("log.follow")}
            checked={follow}
            onChange={(event) => choose({ follow: event.currentTarget.checked })}
          />
        </div>
        <p className="soft">{log.source === "" ? [t("log.none"), ...skipped].join("; ") : t("log.from", { source })}</p>
        {log.source !== "" && lines.length === 0 && (
          <p className="dim">{t(log.lines.length === 0 ? "log.quiet" : "log.nothing")}</p>
        )}
        {lines.length > 0 && <Lines lines={lines} label={t("log.region", { component: log.component })} />}
        {lines.length > 0 && <p className="dim num">{t("log.count", { count: lines.length })}</p>}
      </div>
    </Card>
  );
}

function Lines({ lines, label }: { lines: readonly LogLine[]; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    // A scrolled region must be reachable by keyboard.
    <div
      ref={box}
      className={classes.log}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={({ currentTarget: at }) => (atEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 24)}
    >
      {lines.map((line, index) => (
        <Entry key={index} line={line} />
      ))}
    </div>
  );
}

function Entry({ line }: { line: LogLine }) {
  const format = useFormat();
  return (
    <p className={classes.entry} data-level={line.level || undefined}>
      <span className="dim">{line.time ? `${format.day(line.time)} ${format.clock(line.time, true)}` : ""}</span>
      <span className={classes.level}>{line.level}</span>
      <span className={classes.entryText}>
        <span className="dim">{line.component}</span> {line.text}
      </span>
    </p>
  );
}
