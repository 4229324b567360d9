import { TextInput, type TextInputProps } from "@mantine/core";

type Props = Omit<TextInputProps, "value" | "onChange" | "type"> & {
  /** A moment in ISO form, or undefined while none is chosen. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
};

/** A moment in the browser's time zone: the browser's own field, which works with a keyboard and on a phone. */
export function DateTimeField({ value, onChange, ...props }: Props) {
  return (
    <TextInput
      {...props}
      type="datetime-local"
      value={value ? localMinute(value) : ""}
      onChange={(event) => onChange(isoOf(event.currentTarget.value))}
    />
  );
}

/** What the browser's field wants: local time to the minute, without a zone. */
export function localMinute(iso: string): string {
  const moment = new Date(iso);
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The moment that a local time names; undefined for an empty or half-typed field. */
export function isoOf(local: string): string | undefined {
  const moment = new Date(local);
  return !/T\d\d:\d\d/.test(local) || Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}
