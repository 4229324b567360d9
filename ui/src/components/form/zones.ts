/** The time zones that the browser knows, with the one that is set. */
export function zonesWith(set: string): string[] {
  return [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), set])].filter(Boolean);
}
