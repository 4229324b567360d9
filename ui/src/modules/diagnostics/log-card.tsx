import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { Segmented } from "@/components/form/segmented";
import { useFormat, useLanguage } from "@/text/use-format";
import { logComponents, type Diagnostics, type LogComponent, type LogLine } from "./api";
import classes from "./diagnostics.module.css";

export interface LogChoice {
  component: LogComponent;
  choose: (component: LogComponent) => void;
}

/** The end of one component's log. It stays at the newest line until somebody scrolls up. */
export function LogCard({ log, choice }: { log: Diagnostics["log"]; choice: LogChoice }) {
  const { t } = useTranslation("diagnostics");
  const { source, skipped } = log.translations[useLanguage()] ?? log;
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [log]);
  return (
    <Card
      title={t("log.title")}
      right={
        <Segmented
          label={t("log.component")}
          value={choice.component}
          onChange={choice.choose}
          options={logComponents.map((value) => ({ value, label: value }))}
        />
      }
    >
      <div className={classes.block}>
        <p className="soft">{log.source === "" ? [t("log.none"), ...skipped].join("; ") : t("log.from", { source })}</p>
        {log.source !== "" && log.lines.length === 0 && <p className="dim">{t("log.quiet")}</p>}
        {log.lines.length > 0 && (
          // A scrolled region must be reachable by keyboard.
          <div
            ref={box}
            className={classes.log}
            // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
            role="region"
            aria-label={t("log.region", { component: log.component })}
            onScroll={({ currentTarget: at }) =>
              (atEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 24)
            }
          >
            {log.lines.map((line, index) => (
              <Entry key={index} line={line} />
            ))}
          </div>
        )}
      </div>
    </Card>
  );
}

function Entry({ line }: { line: LogLine }) {
  const format = useFormat();
  return (
    <p className={classes.entry} data-level={line.level || undefined}>
      <span className="dim">{line.time ? format.clock(line.time, true) : ""}</span>
      <span className={classes.level}>{line.level}</span>
      <span className={classes.entryText}>
        <span className="dim">{line.component}</span> {line.text}
      </span>
    </p>
  );
}
