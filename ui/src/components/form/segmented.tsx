import { useId } from "react";
import classes from "./segmented.module.css";

/** A choice among a few, all visible. The marks need no measuring, so that a page with some is drawn in one go. */
export function Segmented<Value extends string>({
  value,
  onChange,
  options,
  label,
}: {
  value: Value;
  onChange: (value: Value) => void;
  options: { value: Value; label: string }[];
  label: string;
}) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={classes.group}>
      {options.map((option) => (
        <label key={option.value} className={classes.option}>
          <input
            type="radio"
            className={classes.input}
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
