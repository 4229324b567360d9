import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card, Row, Rows } from "@/components/layout/card";
import { ProblemNote } from "@/components/state/problem-view";
import { RelativeTime } from "@/components/text/relative-time";
import { heldQuery } from "../api";
import classes from "../geo.module.css";
import { HeldStatus, shortDigest } from "../state";

/** On the page of a node: which version of each file it has. Nothing where the fleet has no files. */
export default function NodePart({ id }: { id: string }) {
  const { t } = useTranslation("geo");
  const { data, error } = useQuery(heldQuery(id));
  if (error) return <ProblemNote error={error} />;
  if (!data || data.length === 0) return null;
  return (
    <Card title={t("title")} label={t("title")} flush>
      <Rows label={t("title")}>
        {data.map((held) => (
          <Row key={held.asset_id} className={classes.held}>
            <Link to={`/geo/${held.asset_id}`} className="strong">
              {held.name}
            </Link>
            <HeldStatus state={held.state} />
            <span className="soft">
              {held.sha256 === "" ? (
                <span>{t("nodes.noFile")}</span>
              ) : (
                <code className="mono">{shortDigest(held.sha256)}</code>
              )}
              {held.at !== null && (
                <>
                  {" · "}
                  <RelativeTime at={held.at} />
                </>
              )}
            </span>
            {held.error !== "" && <span className={classes.bad}>{held.error}</span>}
          </Row>
        ))}
      </Rows>
    </Card>
  );
}
