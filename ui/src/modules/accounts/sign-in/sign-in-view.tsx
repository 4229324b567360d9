import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Glyph } from "@/components/status/glyph";
import { Logo } from "@/components/layout/logo";
import { OutsideMenu } from "@/components/action/outside-menu";
import type { Health } from "./api";
import { SignInDrawing } from "./sign-in-drawing";
import classes from "./sign-in.module.css";

interface SignInViewProps {
  health: Health | undefined;
  down: boolean;
  title: string;
  lead: string;
  /** What stands below the form. */
  after?: ReactNode;
  children: ReactNode;
}

/** The page of one form outside the shell. */
export function SignInView({ health, down, title, lead, after, children }: SignInViewProps) {
  const { t } = useTranslation("accounts");
  return (
    <div className={classes.page}>
      <div className={classes.left}>
        <div className={classes.brand}>
          <Logo />
          Panel
        </div>
        <SignInDrawing />
        <div className={classes.foot}>
          {(health ?? down) && (
            <span className={classes.running}>
              <Glyph kind={down ? "down" : "healthy"} size={11} />
              {down ? t("signIn.down") : t("signIn.running")}
              <span className="num">{health?.version}</span>
            </span>
          )}
          <span>{window.location.host}</span>
        </div>
      </div>
      <div className={classes.right}>
        <OutsideMenu />
        <div className={classes.box}>
          <h1 className={classes.title}>{title}</h1>
          <p className={classes.lead}>{lead}</p>
          {children}
          {after}
        </div>
      </div>
    </div>
  );
}
