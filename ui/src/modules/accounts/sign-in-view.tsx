import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Glyph } from "@/components/glyph";
import { Logo } from "@/components/logo";
import { OutsideMenu } from "@/components/outside-menu";
import type { Health } from "./api";
import { SignInDrawing } from "./sign-in-drawing";
import classes from "./sign-in.module.css";

export function SignInView({ health, down, children }: { health: Health | undefined; down: boolean; children: ReactNode }) {
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
          <h1 className={classes.title}>{t("signIn.title")}</h1>
          <p className={classes.lead}>{t("signIn.lead")}</p>
          {children}
          <p className={classes.reset}>
            {t("signIn.lost")}
            <code>sudo panelctl admin reset-password</code>
          </p>
        </div>
      </div>
    </div>
  );
}
