import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ActionLink } from "@/components/action/action";
import { Card } from "@/components/layout/card";
import { Logo } from "@/components/layout/logo";
import { Glyph, Spinner } from "@/components/status/glyph";
import { StepMark } from "@/components/status/step-mark";
import classes from "../backups.module.css";
import { useReason } from "../shared/words";
import { useRestoreCourse, type Course } from "./use-restore-course";

/** The panel while it is restored: nothing else of it answers, so the page stands alone. */
export default function RestorePage() {
  const { id = "" } = useParams({ strict: false });
  return <RestoreCourse course={useRestoreCourse(id)} />;
}

export function RestoreCourse({ course }: { course: Course }) {
  const { t } = useTranslation("backups");
  return (
    <div className={classes.alone}>
      <Logo />
      <h1 className={classes.aloneTitle}>{t(`full.title.${course.kind}`)}</h1>
      <Card>
        <div className={classes.fields} aria-live="polite">
          {course.kind === "goesOn" && <Steps course={course} />}
          {course.kind === "done" && (
            <>
              <p>{t("full.doneText")}</p>
              <div>
                <ActionLink kind="filled" to="/login" search={{ next: "/backups" }}>
                  {t("full.signIn")}
                </ActionLink>
              </div>
            </>
          )}
          {course.kind === "failed" && <Failed error={course.error} />}
        </div>
      </Card>
    </div>
  );
}

const steps = ["checking", "saving", "restoring", "finishing"] as const;

function Steps({ course: { step, away } }: { course: Extract<Course, { kind: "goesOn" }> }) {
  const { t } = useTranslation("backups");
  const now = steps.indexOf(step as "checking");
  return (
    <>
      <p className="soft">{t("full.text")}</p>
      <ol className={classes.steps}>
        {steps.map((one, index) => (
          <li key={one} aria-current={index === now ? "step" : undefined}>
            <StepMark
              number={index + 1}
              state={index < now ? "done" : index === now ? "now" : "later"}
              done={t("full.stepDone")}
            />
            {t(`full.step.${one}`)}
          </li>
        ))}
      </ol>
      <p className={classes.line} role="status">
        <Spinner />
        <span>{t(away ? "full.away" : now < 0 ? "step.queued" : `step.${steps[now]!}`)}</span>
      </p>
    </>
  );
}

function Failed({ error }: { error: string }) {
  const { t } = useTranslation("backups");
  const reason = useReason()(error);
  return (
    <>
      <p className={classes.line}>
        <Glyph kind="down" />
        <span>{reason}</span>
      </p>
      {reason !== error && <p className={classes.original}>{error}</p>}
      <p className="soft">{t("full.unchanged")}</p>
      <div>
        <ActionLink kind="filled" to="/backups">
          {t("back")}
        </ActionLink>
      </div>
    </>
  );
}
