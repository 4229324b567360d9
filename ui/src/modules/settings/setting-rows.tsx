import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./settings.module.css";

/** A value of the running panel; without a variable it is part of the release. */
export interface Setting {
  name: string;
  value: ReactNode;
  variable?: string;
  given?: boolean;
}

export function SettingRows({ settings }: { settings: Setting[] }) {
  return (
    <dl className={classes.rows}>
      {settings.map((setting) => (
        <div key={setting.name} className={classes.row}>
          <dt>{setting.name}</dt>
          <dd>{setting.value}</dd>
          <dd className={classes.origin}>
            <Origin variable={setting.variable} given={setting.given} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Origin({ variable, given }: Pick<Setting, "variable" | "given">) {
  const { t } = useTranslation("settings");
  if (!variable) return null;
  return (
    <>
      <code>{variable}</code>
      <span>{t(given ? "given" : "default")}</span>
    </>
  );
}
