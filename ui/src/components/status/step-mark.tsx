import { IconCheck } from "@tabler/icons-react";
import classes from "./step-mark.module.css";

/** The number of a step in a circle: the one that is on is filled, a done one has a tick. */
export function StepMark({
  number,
  state = "later",
  done,
}: {
  number: number;
  state?: "later" | "now" | "done";
  done?: string;
}) {
  return (
    <span className={`${classes.mark} num`} data-state={state}>
      {state === "done" ? (
        <IconCheck size={13} stroke={2.2} aria-label={done} aria-hidden={done === undefined || undefined} />
      ) : (
        number
      )}
    </span>
  );
}
