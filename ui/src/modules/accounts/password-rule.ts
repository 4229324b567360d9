import type { TFunction } from "i18next";

/** Passwords have 8 to 128 characters; nothing else is asked of them. */
export function passwordProblem(value: string, t: TFunction<"accounts">): string | null {
  const length = [...value].length;
  if (length < 8) return t("password.tooShort");
  return length > 128 ? t("password.tooLong") : null;
}
