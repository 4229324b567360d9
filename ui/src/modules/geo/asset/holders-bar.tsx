import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card } from "@/components/layout/card";
import { useFormat } from "@/text/use-format";
import type { Asset } from "../api";
import classes from "../geo.module.css";

const parts = ["current", "waiting", "failed"] as const;

/** How far the fleet is with the version that it shall have. */
export function HoldersBar({ asset }: { asset: Asset }) {
  const { t } = useTranslation("geo");
  const format = useFormat();
  const { nodes } = asset;
  const share = (count: number) => (nodes.total === 0 ? 0 : (100 * count) / nodes.total);
  return (
    <Card
      title={t("holders.title")}
      label={t("holders.title")}
      right={<Link to={`/geo/${asset.id}/nodes`}>{t("holders.all")}</Link>}
    >
      {nodes.total === 0 ? (
        <p className="soft">{t("holders.none")}</p>
      ) : (
        <>
          <div className={classes.bar} aria-hidden>
            {parts.map((part) => (
              <span key={part} data-part={part} style={{ width: `${share(nodes[part])}%` }} />
            ))}
          </div>
          <p className={`${classes.legend} num`}>
            {parts
              .filter((part) => part === "current" || nodes[part] > 0)
              .map((part) => (
                <span key={part} data-part={part}>
                  {t(`holders.${part}`, { count: nodes[part], shown: format.number(nodes[part]) })}
                </span>
              ))}
            <span className="soft">{t("holders.of", { count: nodes.total, shown: format.number(nodes.total) })}</span>
          </p>
        </>
      )}
    </Card>
  );
}
