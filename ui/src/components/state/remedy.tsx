import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Problem } from "@/api/problem";

/** What to do about a refusal, told apart by its code: a missing key, read-only mode, a feature outside the plan. */
export function Remedy({ problem }: { problem: Problem }) {
  const { t } = useTranslation("app");
  if (problem.code === "permission_denied") {
    const keys = requiredKeys(problem);
    return keys.length > 0 ? <p>{t("remedy.permission_denied", { keys: keys.join(", ") })}</p> : null;
  }
  if (problem.code !== "license_read_only" && problem.code !== "license_feature_blocked") return null;
  return (
    <p>
      <Link to="/license">{t(`remedy.${problem.code}`)}</Link>
    </p>
  );
}

export function requiredKeys(problem: Problem): string[] {
  const { required } = problem.document;
  if (Array.isArray(required)) return required.map(String);
  return typeof required === "string" ? [required] : [];
}
