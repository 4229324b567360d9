import { Popover, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Icon } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Segmented } from "@/components/form/segmented";
import { ProblemNote } from "@/components/state/problem-view";
import { explainQuery, type Explanation } from "../../shared/api";
import classes from "./canvas.module.css";
import { useEditor } from "../editor-context";
import { Way } from "./way";
import { WayProbe } from "./way-probe";

/** Which way a destination takes through the draft or what is installed: the winning rule, the losers, and why. */
export function Trace({ icon: Shape, below = false }: { icon: Icon; below?: boolean }) {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  const [text, setText] = useState("");
  const [target, setTarget] = useState("");
  const [of, setOf] = useState<Explanation["of"]>("draft");
  const installed = flow.installed_version_number !== null;
  const revision = (of === "draft" ? flow.draft_revision : flow.installed_revision) ?? 0;
  const answer = useQuery(explainQuery(flow.id, revision, target, of));
  return (
    <Popover
      opened={target !== ""}
      onChange={(open) => !open && setTarget("")}
      position={below ? "bottom-start" : "top-start"}
      width="min(420px, calc(100vw - 24px))"
      hideDetached={false}
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
        {installed && (
          <Segmented
            label={t("trace.of")}
            value={of}
            onChange={setOf}
            options={[
              { value: "draft", label: t("trace.draft") },
              { value: "installed", label: t("trace.installed", { number: flow.installed_version_number }) },
            ]}
          />
        )}
        {answer.data && <Way answer={answer.data} />}
        {of === "installed" && !answer.data?.served_by && <WayProbe key={target} target={target} />}
      </Popover.Dropdown>
    </Popover>
  );
}
