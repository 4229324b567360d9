import { NumberInput } from "@mantine/core";
import { useState } from "react";

interface NumbersProps {
  label: string;
  value: number;
  least: number;
  most: number;
  error: string | undefined;
  onChange: (value: number) => void;
}

/** A whole number. While the field is empty the last number counts, and it comes back when the field is left. */
export function Numbers({ label, value, least, most, error, onChange }: NumbersProps) {
  const [typed, setTyped] = useState<string | number>(value);
  return (
    <NumberInput
      size="md"
      label={label}
      min={least}
      max={most}
      clampBehavior="blur"
      allowDecimal={false}
      value={typed}
      error={error}
      onChange={(next) => {
        setTyped(next);
        if (next !== "") onChange(Number(next));
      }}
      onBlur={() => typed === "" && setTyped(value)}
    />
  );
}
