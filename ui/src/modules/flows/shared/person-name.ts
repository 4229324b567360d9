/** A name for "by anna". An account that is known by its id only is not named. */
export function personName(who: string): string {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(who) ? "" : who;
}
