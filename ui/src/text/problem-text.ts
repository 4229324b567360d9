import i18next from "i18next";
import { asProblem, type FieldProblem } from "@/api/problem";

/** Codes that say only what kind of thing is wrong; the panel's own sentence says more, in English. */
const general = new Set([
  "bad_json",
  "bad_parameter",
  "invalid_value",
  "missing_field",
  "rollback_impossible",
  "stage_blocked",
  "unknown_field",
  "update_blocked",
]);

/** A problem in the language of the page. Every code of the panel has a sentence here; others show the panel's. */
export function problemText(error: unknown): string {
  const problem = asProblem(error);
  const key = `problem.${problem.code}`;
  const values = { seconds: problem.retryAfterSeconds ?? 0, ...problem.document };
  if (general.has(problem.code) && problem.document.detail && i18next.language === "en") return problem.message;
  const ns = ["app", "words"].find((namespace) => i18next.exists(key, { ns: namespace }));
  if (ns) return i18next.t(key, { ns, ...values });
  if (problem.status >= 500) return i18next.t("problem.internal", { ns: "app" });
  return problem.message || i18next.t("problem.unexpected", { ns: "app" });
}

/** What is wrong with one field. The panel says it in English; other languages have the sentence of the code. */
export function fieldText({ code, message }: FieldProblem): string {
  const key = `problem.${code}`;
  return i18next.language !== "en" && i18next.exists(key, { ns: "app" }) ? i18next.t(key, { ns: "app" }) : message;
}
