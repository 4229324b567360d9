import { TextInput } from "@mantine/core";
import { IconAsterisk, IconCheck, IconPencil, IconSearch } from "@tabler/icons-react";
import { useMemo, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { Avatar } from "@/components/text/avatar";
import { EmptyState } from "@/components/state/states";
import { useAreas } from "@/components/slots/slots";
import { byArea, matching, type Permission } from "./areas";
import type { Account } from "../directory/api";
import classes from "./matrix.module.css";
import { countOpened, everything, heldBy, isFull, withFamily, withKey } from "./permissions";
import { Tick } from "./tick";
import { useGrantBlock, useKeyWords } from "./use-rules";

export interface MatrixProps {
  accounts: readonly Account[];
  catalogue: readonly Permission[];
  /** The account whose column is open for changes, and what it would hold. */
  chosen: Account | undefined;
  draft: readonly string[];
  onChoose: (id: string | undefined) => void;
  onChange: (held: string[]) => void;
  /** Why the chosen column is closed, and whether it alone has full access. */
  reason: string | undefined;
  lastFull: boolean;
}

/** Keys by people. Only the chosen person's column can be changed, the others are read. */
export function Matrix(props: MatrixProps) {
  const { t } = useTranslation("accounts");
  const { accounts, catalogue } = props;
  const [text, setText] = useState("");
  const words = useKeyWords();
  const areaOf = useAreas("permissions");
  const groups = useMemo(() => byArea(catalogue, areaOf), [catalogue, areaOf]);
  const found = matching(groups, text, words);
  // A region that scrolls must be reachable by keyboard.
  /* eslint-disable jsx-a11y/no-noninteractive-tabindex */
  return (
    <div className={classes.frame} role="region" aria-label={t("matrix.label")} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <td className={classes.find}>
              <TextInput
                aria-label={t("matrix.find")}
                placeholder={t("matrix.find")}
                leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
              />
            </td>
            {accounts.map((account) => (
              <Person key={account.id} account={account} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {!text && <FullRow {...props} />}
          {found.map(({ area, families }) => [
            <tr key={area} className={classes.area}>
              <th scope="rowgroup" className="caps">
                {t(`area.${area}`)}
              </th>
              <Cells {...props}>{() => null}</Cells>
            </tr>,
            ...families.flatMap((family) => [
              family.key !== undefined && !text && (
                <FamilyRow key={family.key} family={family.key} members={family.permissions} {...props} />
              ),
              ...family.permissions.map((permission) => (
                <KeyRow key={permission.key} permission={permission} {...props} />
              )),
            ]),
          ])}
        </tbody>
      </table>
      {found.length === 0 && <EmptyState title={t("matrix.nothing")} />}
    </div>
  );
  /* eslint-enable jsx-a11y/no-noninteractive-tabindex */
}

function Person({ account, chosen, draft, catalogue, onChoose }: MatrixProps & { account: Account }) {
  const { t } = useTranslation("accounts");
  const { account: me } = useAccess();
  const mine = chosen?.id === account.id;
  const held = mine ? draft : account.permissions;
  const count = countOpened(
    held,
    catalogue.map(({ key }) => key),
  );
  return (
    <th
      scope="col"
      data-chosen={mine || undefined}
      className={classes.person}
      data-off={account.state === "disabled" || undefined}
    >
      <button
        type="button"
        aria-pressed={mine}
        onClick={() => onChoose(mine ? undefined : account.id)}
        aria-label={t("matrix.choose", { name: account.username })}
      >
        <span className={classes.name}>
          <Avatar name={account.username} />
          <span>{account.username}</span>
        </span>
        <span className={classes.count}>
          {account.state === "disabled"
            ? t("state.disabled")
            : isFull(held)
              ? t("permissions.fullShort")
              : t("permissions.count", { count })}
          {account.id === me?.id && `, ${t("you")}`}
        </span>
        {!mine && <IconPencil size={13} stroke={1.6} className={classes.pencil} aria-hidden />}
      </button>
    </th>
  );
}

/** One cell for each person; `children` draws the one of the chosen column. */
function Cells({
  accounts,
  chosen,
  read,
  children,
}: MatrixProps & { read?: (account: Account) => ReactNode; children: (account: Account) => ReactNode }) {
  return (
    <>
      {accounts.map((account) => (
        <td key={account.id} data-chosen={chosen?.id === account.id || undefined} className={classes.cell}>
          {chosen?.id === account.id ? children(account) : read?.(account)}
        </td>
      ))}
    </>
  );
}

function FullRow(props: MatrixProps) {
  const { t } = useTranslation("accounts");
  const { chosen, draft, onChange, reason, lastFull } = props;
  const grant = useGrantBlock();
  const closed = reason ?? (lastFull ? t("block.lastFull") : isFull(draft) ? undefined : grant(everything));
  const before = chosen && !isFull(chosen.permissions) ? chosen.permissions : [];
  return (
    <tr>
      <Head of={everything} words={t("permissions.full")} />
      <Cells {...props} read={(account) => <Read by={isFull(account.permissions) ? "all" : undefined} />}>
        {(account) => (
          <Change of={isFull(account.permissions) !== isFull(draft)}>
            <Tick
              checked={isFull(draft)}
              onChange={(on) => onChange(on ? [everything] : before)}
              name={t("matrix.cell", { key: t("permissions.full"), name: account.username })}
              reason={closed}
            />
          </Change>
        )}
      </Cells>
    </tr>
  );
}

function FamilyRow({ family, members, ...props }: MatrixProps & { family: string; members: Permission[] }) {
  const { t } = useTranslation("accounts");
  const { catalogue, draft, onChange, reason } = props;
  const grant = useGrantBlock();
  const closed = reason ?? (isFull(draft) ? t("block.isFull") : grant(family));
  const keys = catalogue.map(({ key }) => key);
  return (
    <tr>
      <Head of={family} words={t("permissions.family")} />
      <Cells
        {...props}
        read={(account) => (
          <Read by={isFull(account.permissions) ? "all" : account.permissions.includes(family) ? "own" : undefined} />
        )}
      >
        {(account) => (
          <Change of={account.permissions.includes(family) !== draft.includes(family)}>
            <Tick
              checked={isFull(draft) || draft.includes(family)}
              partly={members.some(({ key }) => heldBy(draft, key))}
              onChange={(on) => onChange(withFamily(draft, family, on, keys))}
              name={t("matrix.cell", { key: family, name: account.username })}
              reason={closed}
            />
          </Change>
        )}
      </Cells>
    </tr>
  );
}

function KeyRow({ permission, ...props }: MatrixProps & { permission: Permission }) {
  const { t } = useTranslation("accounts");
  const { catalogue, draft, onChange, reason } = props;
  const { key } = permission;
  const words = useKeyWords();
  const grant = useGrantBlock();
  const closed = reason ?? (isFull(draft) ? t("block.isFull") : grant(key));
  const keys = catalogue.map((item) => item.key);
  return (
    <tr>
      <Head of={key} words={words(permission)} />
      <Cells {...props} read={(account) => <Read by={heldBy(account.permissions, key)} />}>
        {(account) => (
          <Change of={(heldBy(account.permissions, key) === undefined) !== (heldBy(draft, key) === undefined)}>
            <Tick
              checked={heldBy(draft, key) !== undefined}
              onChange={(on) => onChange(withKey(draft, key, on, keys))}
              name={t("matrix.cell", { key, name: account.username })}
              reason={closed}
            />
          </Change>
        )}
      </Cells>
    </tr>
  );
}

/** The key and its words in one cell, which stays when the people are scrolled. */
function Head({ of, words }: { of: string; words: string }) {
  return (
    <th scope="row" className={classes.head}>
      <span className={classes.words}>{words}</span>
      <span className={`mono ${classes.key}`}>{of}</span>
    </th>
  );
}

function Read({ by }: { by: ReturnType<typeof heldBy> }) {
  const { t } = useTranslation("accounts");
  if (by === undefined) return <span className={classes.no} role="img" aria-label={t("matrix.no")} />;
  const Shape = by === "all" ? IconAsterisk : IconCheck;
  return <Shape size={15} stroke={1.8} role="img" aria-label={t(`matrix.by.${by}`)} />;
}

function Change({ of, children }: { of: boolean; children: ReactNode }) {
  const { t } = useTranslation("accounts");
  return (
    <span className={classes.change}>
      {children}
      {of && (
        <span className={classes.mark}>
          <span className="visually-hidden">{t("permissions.changed")}</span>
        </span>
      )}
    </span>
  );
}
