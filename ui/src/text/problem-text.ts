import i18next from "i18next";
import { asProblem } from "@/api/problem";

/** A problem in the language of the page: known codes have our own sentence, others the panel's. */
export function problemText(error: unknown): string {
  const problem = asProblem(error);
  const key = `problem.${problem.code}`;
  const values = { seconds: problem.retryAfterSeconds ?? 0, ...problem.document };
  const ns = ["app", "words"].find((namespace) => i18next.exists(key, { ns: namespace }));
  if (ns) return i18next.t(key, { ns, ...values });
  if (problem.status >= 500) return i18next.t("problem.internal", { ns: "app" });
  return problem.message || i18next.t("problem.unexpected", { ns: "app" });
}
