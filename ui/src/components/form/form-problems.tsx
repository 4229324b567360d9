import { useTranslation } from "react-i18next";
import { asProblem } from "@/api/problem";
import classes from "./form-problems.module.css";
import { Glyph } from "@/components/status/glyph";
import { fieldText } from "@/text/problem-text";
import { ProblemNote } from "@/components/state/problem-view";

/** What a rejected form shows at its top: the refusal, and links to the fields when there are two or more. */
export function FormProblems({ error, fields = {} }: { error: unknown; fields?: Record<string, string> }) {
  const { t } = useTranslation("app");
  if (error === null || error === undefined) return null;
  const problem = asProblem(error);
  if (problem.fields.length === 0) return <ProblemNote error={problem} />;
  if (problem.fields.length === 1 && fields[problem.fields[0]!.field]) return null;
  return (
    <div className={classes.summary} role="alert">
      <Glyph kind="down" />
      <div>
        <p className="strong">{t("form.problems", { count: problem.fields.length })}</p>
        <ul>
          {problem.fields.map((item) => (
            <li key={item.field}>
              {fields[item.field] ? (
                <a href={`#${fields[item.field]}`}>{fieldText(item)}</a>
              ) : (
                `${item.field}: ${fieldText(item)}`
              )}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
