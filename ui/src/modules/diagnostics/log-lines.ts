import type { LogLine } from "./api";

/** The lines that hold every word of a search, in whatever part of them and order. */
export function fitting(lines: readonly LogLine[], text: string): readonly LogLine[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return lines;
  return lines.filter((line) => {
    const whole = `${line.level} ${line.component} ${line.text}`.toLocaleLowerCase();
    return words.every((word) => whole.includes(word));
  });
}
