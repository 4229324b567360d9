import { Switch } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { useAreas } from "@/components/slots/slots";
import { byArea, type Family, type Permission } from "./areas";
import classes from "./permission-list.module.css";
import { everything, heldBy, isFull, withFamily, withKey } from "./permissions";
import { StartFrom } from "./start-from";
import { Tick } from "./tick";
import { useGrantBlock, useKeyWords } from "./use-rules";

interface PermissionListProps {
  catalogue: readonly Permission[];
  held: readonly string[];
  /** What it held before: marks changes, and comes back when full access is switched off. */
  before: readonly string[];
  onChange: (held: string[]) => void;
  /** Why nothing here can be changed. */
  reason?: string;
  /** This account alone has full access. */
  lastFull?: boolean;
  /** The account whose permissions these are, once there is one. */
  of?: string;
}

/** The permissions of one account, one under the other: for a narrow screen and for making an account. */
export function PermissionList(props: PermissionListProps) {
  const { t } = useTranslation("accounts");
  const { catalogue, held, before, onChange, reason, lastFull, of } = props;
  const full = isFull(held);
  const grant = useGrantBlock();
  const closed = reason ?? (lastFull ? t("block.lastFull") : full ? undefined : grant(everything));
  const areaOf = useAreas("permissions");
  const groups = useMemo(() => byArea(catalogue, areaOf), [catalogue, areaOf]);
  return (
    <Card title={t("permissions.title")} flush>
      {reason === undefined && !lastFull && (
        <div className={classes.start}>
          <StartFrom catalogue={catalogue} except={of} onChange={onChange} />
        </div>
      )}
      <div className={classes.full}>
        <Switch
          label={t("permissions.full")}
          description={closed ?? t("permissions.fullHelp")}
          checked={full}
          aria-disabled={closed !== undefined || undefined}
          onChange={(event) =>
            closed === undefined &&
            onChange(event.currentTarget.checked ? [everything] : isFull(before) ? [] : [...before])
          }
        />
      </div>
      {groups.map(({ area, families }) => (
        <fieldset key={area} className={classes.area}>
          <legend className="caps">{t(`area.${area}`)}</legend>
          {families.map((family) => (
            <FamilyRows key={family.permissions[0]?.key} family={family} {...props} />
          ))}
        </fieldset>
      ))}
    </Card>
  );
}

function FamilyRows({ family, catalogue, held, before, onChange, reason }: PermissionListProps & { family: Family }) {
  const { t } = useTranslation("accounts");
  const words = useKeyWords();
  const grant = useGrantBlock();
  const keys = catalogue.map((permission) => permission.key);
  const closed = (key: string) => reason ?? (isFull(held) ? t("block.isFull") : grant(key));
  const own = family.permissions.map(({ key }) => key);
  const whole = family.key;
  return (
    <>
      {whole !== undefined && (
        <Tick
          checked={isFull(held) || held.includes(whole)}
          partly={own.some((key) => heldBy(held, key))}
          onChange={(on) => onChange(withFamily(held, whole, on, keys))}
          reason={closed(whole)}
          label={
            <Words
              of={whole}
              words={t("permissions.family")}
              changed={held.includes(whole) !== before.includes(whole)}
            />
          }
        />
      )}
      {family.permissions.map((permission) => (
        <div key={permission.key} className={whole === undefined ? undefined : classes.member}>
          <Tick
            checked={heldBy(held, permission.key) !== undefined}
            onChange={(on) => onChange(withKey(held, permission.key, on, keys))}
            reason={closed(permission.key)}
            label={
              <Words
                of={permission.key}
                words={words(permission)}
                changed={
                  (heldBy(held, permission.key) === undefined) !== (heldBy(before, permission.key) === undefined)
                }
              />
            }
          />
        </div>
      ))}
    </>
  );
}

function Words({ of, words, changed }: { of: string; words: string; changed: boolean }) {
  const { t } = useTranslation("accounts");
  return (
    <span className={classes.words}>
      <span className="mono">{of}</span>
      <span className="dim">{words}</span>
      {changed && (
        <span className={classes.changed}>
          <span className="visually-hidden">{t("permissions.changed")}</span>
        </span>
      )}
    </span>
  );
}
