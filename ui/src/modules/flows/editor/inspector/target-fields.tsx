import { TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { SlotPart, useSlot } from "@/components/slots/slots";
import type { Listener } from "../../drawing/drawing";
import { useEditor } from "../editor-context";
import classes from "./form.module.css";
import type { PartProps } from "./more-settings";

type Reality = NonNullable<Listener["reality"]>;

export interface TargetProps {
  /** The node that the listener is on. */
  nodeId: string | undefined;
  setAll: (listener: Listener) => void;
}

/** The site that strangers see. One that is typed is no longer the one that a search has found. */
export function TargetFields({
  listener,
  setAll,
  shared,
  nodeId,
}: Pick<PartProps, "listener" | "shared"> & TargetProps) {
  const { t } = useTranslation("flows");
  const { closed } = useEditor();
  const pickers = useSlot("targetPickers");
  const { target_result_id: found, ...reality } = listener.reality ?? {};
  const change = (values: Reality) => setAll({ ...listener, reality: { ...reality, ...values } });
  const problem = shared("reality.target_result_id");
  return (
    <>
      <TextInput
        className={classes.wide}
        label={t("field.target")}
        placeholder="www.example.org:443"
        description={t(found ? "field.targetFound" : "field.targetHelp")}
        value={reality.target ?? ""}
        onChange={(event) => change({ target: event.currentTarget.value.trim() })}
        spellCheck={false}
        {...shared("reality.target")}
        error={shared("reality.target").error ?? problem.error}
      />
      {pickers.map((entry) => (
        <div key={entry.key} className={classes.wide} data-field={problem["data-field"]}>
          <SlotPart
            entry={entry}
            props={{
              nodeId,
              target: reality.target,
              serverName: reality.server_names?.[0],
              reason: closed,
              onUse: ({ target, serverName, resultId }) =>
                change({ target, server_names: [serverName], target_result_id: resultId }),
            }}
          />
        </div>
      ))}
    </>
  );
}
