import { SegmentedControl } from "@mantine/core";

/** A choice among a few, all visible. */
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
  return (
    <SegmentedControl
      aria-label={label}
      value={value}
      onChange={(next) => onChange(next as Value)}
      data={options}
      transitionDuration={120}
    />
  );
}
