export type Language = "en" | "ru";

const locales: Record<Language, string> = { en: "en-GB", ru: "ru-RU" };

const kept = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

/** Making a formatter costs as much as some hundred numbers written with it: each is made once. */
function once<Kind extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, make: () => Kind): Kind {
  let formatter = kept.get(key) as Kind | undefined;
  if (!formatter) kept.set(key, (formatter = make()));
  return formatter;
}

function write(at: Date, language: Language, options: Intl.DateTimeFormatOptions): string {
  const key = `${language} ${JSON.stringify(options)}`;
  return once(key, () => new Intl.DateTimeFormat(locales[language], options)).format(at);
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

export function formatNumber(value: number, language: Language, digits = 0): string {
  return once(`${language} ${digits}`, () => {
    const fixed = { maximumFractionDigits: digits, minimumFractionDigits: digits };
    return new Intl.NumberFormat(language === "en" ? "en-US" : "ru-RU", { ...fixed, signDisplay: "negative" });
  }).format(value);
}

export function formatPercent(value: number, language: Language): string {
  return `${formatNumber(value, language, value > 0 && value < 1 ? 1 : 0)} %`;
}

const bitUnits: Record<Language, string[]> = {
  en: ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"],
  ru: ["бит/с", "кбит/с", "Мбит/с", "Гбит/с", "Тбит/с"],
};
const byteUnits: Record<Language, string[]> = { en: ["B", "KB", "MB", "GB", "TB"], ru: ["Б", "КБ", "МБ", "ГБ", "ТБ"] };

/** Speed is counted in bits, by thousands. */
export function formatBits(bitsPerSecond: number, language: Language): { value: string; unit: string } {
  return scaled(bitsPerSecond, 1000, bitUnits[language], language);
}

/** The unit that fits the largest of some speeds, and each of them in it, so that a column or chart has one unit. */
export function commonBits(
  largest: number,
  language: Language,
): { unit: string; write: (bitsPerSecond: number) => string } {
  const power = largest < 1000 ? 0 : Math.min(bitUnits[language].length - 1, Math.floor(Math.log10(largest) / 3));
  const step = 1000 ** power;
  return {
    unit: bitUnits[language][power] ?? "",
    write: (value) =>
      formatNumber(value / step, language, power === 0 || value / step >= 100 ? 0 : value / step >= 10 ? 1 : 2),
  };
}

/** Volume is counted in bytes, by 1024. */
export function formatBytes(bytes: number, language: Language): string {
  const { value, unit } = scaled(bytes, 1024, byteUnits[language], language);
  return `${value} ${unit}`;
}

function scaled(amount: number, step: number, units: string[], language: Language): { value: string; unit: string } {
  let value = amount;
  let index = 0;
  while (Math.abs(value) >= step && index < units.length - 1) {
    value /= step;
    index += 1;
  }
  const digits = index === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return { value: formatNumber(value, language, digits), unit: units[index] ?? "" };
}

const shortUnits: Record<Language, Record<"s" | "m" | "h" | "d", string>> = {
  en: { s: "s", m: "min", h: "h", d: "d" },
  ru: { s: "с", m: "мин", h: "ч", d: "д" },
};

/** A length of time in its largest sensible unit: "14 min", "5 h", "2 d". */
export function formatSpan(seconds: number, language: Language): string {
  const words = shortUnits[language];
  const positive = Math.max(0, Math.floor(seconds));
  if (positive < minute) return `${positive} ${words.s}`;
  if (positive < hour) return `${Math.floor(positive / minute)} ${words.m}`;
  if (positive < 2 * day) return `${Math.floor(positive / hour)} ${words.h}`;
  return `${Math.floor(positive / day)} ${words.d}`;
}

/** A length of time in two units: "2 d 6 h". */
export function formatUptime(seconds: number, language: Language): string {
  const words = shortUnits[language];
  if (seconds >= day) return `${Math.floor(seconds / day)} ${words.d} ${Math.floor((seconds % day) / hour)} ${words.h}`;
  if (seconds >= hour)
    return `${Math.floor(seconds / hour)} ${words.h} ${Math.floor((seconds % hour) / minute)} ${words.m}`;
  return formatSpan(seconds, language);
}

export function formatDate(iso: string, language: Language): string {
  return write(new Date(iso), language, { day: "numeric", month: "short", year: "numeric" });
}

export function formatClock(iso: string | number, language: Language, seconds = false): string {
  return write(new Date(iso), language, {
    hour: "2-digit",
    minute: "2-digit",
    second: seconds ? "2-digit" : undefined,
  });
}

/** A day without its year, and with it when that is another one than now: "22 Nov", "22 Nov 2025". */
export function formatDay(iso: string, language: Language, now: Date): string {
  const at = new Date(iso);
  return write(at, language, {
    day: "numeric",
    month: "short",
    year: at.getFullYear() === now.getFullYear() ? undefined : "numeric",
  });
}

export function formatMoment(iso: string, language: Language): string {
  return write(new Date(iso), language, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

export function formatFullMoment(iso: string, language: Language): string {
  return write(new Date(iso), language, { dateStyle: "long", timeStyle: "long" });
}

/** A countdown such as "23:51:08" or "0:38". */
export function formatCountdown(seconds: number): string {
  const left = Math.max(0, Math.floor(seconds));
  const tail = [Math.floor((left % hour) / minute), left % minute];
  const parts = left >= hour ? [Math.floor(left / hour), ...tail] : tail;
  return parts.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}
