export { asnText, countryName } from "@/text/place";

/** What is reached for: a name or an address, with its port where one is known. */
export function destText({ host, ip, port }: { host: string; ip: string; port: number }): string {
  const where = host || ip;
  if (port === 0) return where;
  if (where === "") return `:${port}`;
  return where.includes(":") ? `[${where}]:${port}` : `${where}:${port}`;
}
