import { Popover, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Icon } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { ProblemNote } from "@/components/state/problem-view";
import { explainQuery, type Explanation } from "../../shared/api";
import classes from "./canvas.module.css";
import { useEditor, useNameOfKey, usePlaces } from "../editor-context";

const stepGlyph: Record<Explanation["steps"][number]["result"], GlyphKind> = {
  taken: "healthy",
  passed_over: "skipped",
  no_data: "no-data",
};

/** Which way a destination takes through the saved draft: the winning rule, the losers, and why. */
export function Trace({ icon: Shape }: { icon: Icon }) {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const [text, setText] = useState("");
  const [target, setTarget] = useState("");
  const answer = useQuery(explainQuery(flow.id, flow.draft_revision, target));
  return (
    <Popover
      opened={target !== ""}
      onChange={(open) => !open && setTarget("")}
      position="top-start"
      width={420}
      withRoles={false}
    >
      <Popover.Target>
        <form
          className={classes.trace}
          onSubmit={(event) => {
            event.preventDefault();
            setTarget(text.trim());
          }}
        >
          <TextInput
            leftSection={<Shape size={15} stroke={1.5} aria-hidden />}
            aria-label={t("trace.label")}
            placeholder={t("trace.label")}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            spellCheck={false}
          />
        </form>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={t("trace.result")}>
        {answer.error && <ProblemNote error={answer.error} />}
        {answer.data && <TraceResult answer={answer.data} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function TraceResult({ answer }: { answer: Explanation }) {
  const { t } = useTranslation("flows");
  const nameOf = useNameOfKey();
  const { servers } = usePlaces();
  const server = servers.get(answer.node_id)?.name ?? "";
  return (
    <div className={classes.traceResult}>
      <p className="strong">{t(`trace.${answer.result}`, { name: server })}</p>
      <ol>
        {answer.steps.map((step, index) => (
          <li key={index} data-taken={step.result === "taken" || undefined}>
            <Glyph kind={stepGlyph[step.result]} label={t(`trace.step.${step.result}`)} />
            <span>
              {nameOf(step.from)} → {nameOf(step.to)}
              <span className="dim"> {step.reason}</span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
