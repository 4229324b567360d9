import { Checkbox, Tooltip } from "@mantine/core";
import { useId } from "react";
import classes from "./tick.module.css";

interface TickProps {
  checked: boolean;
  partly?: boolean;
  onChange: (on: boolean) => void;
  /** Words beside the box; without them `name` is read out. */
  label?: React.ReactNode;
  name?: string;
  /** Why the box is closed. It stays reachable and tells it. */
  reason?: string;
}

/** A box to switch one permission. */
export function Tick({ checked, partly = false, onChange, label, name, reason }: TickProps) {
  const reasonId = useId();
  const closed = reason !== undefined;
  const box = (
    <span className={classes.tick} data-closed={closed || undefined}>
      <Checkbox
        size="xs"
        checked={checked}
        indeterminate={partly && !checked}
        label={label}
        aria-label={label === undefined ? name : undefined}
        aria-disabled={closed || undefined}
        aria-describedby={closed ? reasonId : undefined}
        onChange={(event) => !closed && onChange(event.currentTarget.checked)}
      />
      {closed && (
        <span id={reasonId} hidden>
          {reason}
        </span>
      )}
    </span>
  );
  return closed ? <Tooltip label={reason}>{box}</Tooltip> : box;
}
