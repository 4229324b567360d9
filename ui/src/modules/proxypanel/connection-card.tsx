import { Menu } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { Card } from "@/components/layout/card";
import { ProblemNote } from "@/components/state/problem-view";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import { useTestConnection, type Connection } from "./api";
import { glyphs } from "./causes";
import { ConnectionFacts } from "./connection-facts";
import classes from "./proxypanel.module.css";
import { Trouble } from "./trouble";

export interface CardActs {
  block: string | undefined;
  onEdit: (connection: Connection) => void;
  onRemove: (connection: Connection) => void;
}

/** One proxy panel: how the connection is, what it counts there, and a test whose result stands in its place. */
export function ConnectionCard({ connection, block, onEdit, onRemove }: { connection: Connection } & CardActs) {
  const { t } = useTranslation("proxypanel");
  const test = useTestConnection();
  const { id, label, base_url: address, state } = connection;
  const closed = { disabled: block !== undefined, title: block };
  return (
    <Card label={label} className={classes.card}>
      <div className={classes.head}>
        <div className={classes.title}>
          <h2 className="strong">
            <Link to={`/proxypanel/${id}`}>{label}</Link>
          </h2>
          <span className="dim">{address}</span>
        </div>
        <Status kind={glyphs[state]}>{t(`state.${state}`)}</Status>
        <div className={classes.headActs}>
          <Action
            size="bar"
            icon={IconPlugConnected}
            busy={test.isPending}
            reason={block}
            onClick={() => test.mutate(id)}
          >
            {t("test.act")}
          </Action>
          <Action size="bar" reason={block} onClick={() => onEdit(connection)}>
            {t("edit")}
          </Action>
          <RowMenu name={label}>
            <Menu.Item {...closed} color="red" onClick={() => onRemove(connection)}>
              {t("remove.act")}
            </Menu.Item>
          </RowMenu>
        </div>
      </div>
      <Tested busy={test.isPending} error={test.error} found={test.data} />
      <Trouble connection={connection} />
      <ConnectionFacts connection={connection} />
    </Card>
  );
}

interface TestedProps {
  busy: boolean;
  error: unknown;
  found: Connection | undefined;
}

/** What the test found, for as long as the page is open; what is wrong stands below it. */
function Tested({ busy, error, found }: TestedProps) {
  const { t } = useTranslation("proxypanel");
  const format = useFormat();
  if (error) return <ProblemNote error={error} />;
  const said = () => {
    if (busy) return t("test.runs");
    if (!found) return "";
    const at = format.clock(found.checked_at ?? found.updated_at, true);
    return t("test.found", { at, state: t(`state.${found.state}`) });
  };
  return (
    <p className={classes.tested} role="status">
      {said()}
    </p>
  );
}
