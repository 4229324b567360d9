import type { TFunction } from "i18next";

/** Passwords have 8 to 128 characters; nothing else is asked of them. */
export function passwordProblem(value: string, t: TFunction<"app">): string | null {
  const length = [...value].length;
  if (length < 8) return t("passwordRule.tooShort");
  return length > 128 ? t("passwordRule.tooLong") : null;
}

const letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789";
const lengthMade = 16;

/** A password to hand over, without letters that are easily mistaken for others. */
export function makePassword(): string {
  const limit = 256 - (256 % letters.length);
  let made = "";
  while (made.length < lengthMade) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < limit) made += letters[byte % letters.length];
  }
  return made;
}
