import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Glyph } from "@/components/status/glyph";
import { flowQuery, type Asset } from "./api";
import classes from "./geo.module.css";

const reasons = [
  "checksum_mismatch",
  "not_geo_data",
  "truncated",
  "too_large",
  "empty",
  "geo_category_missing",
  "source_unreachable",
  "source_refused",
  "html_instead_of_data",
  "disk_full",
  "interrupted",
  "node_failed",
] as const;

/** The reason as a word that has a sentence; a newer panel may have more reasons. */
export const reasonOf = (reason: string) => reasons.find((one) => one === reason) ?? "other";

/** Why the last file was not taken, in a few words. */
export function RejectWord({ asset }: { asset: Asset }) {
  const { t } = useTranslation("geo");
  if (asset.reject_reason === "") return null;
  return <>{t(`reason.${reasonOf(asset.reject_reason)}.short`)}</>;
}

/** Why the last file was not taken, what that means for the nodes, and what to do. */
export function Trouble({ asset }: { asset: Asset }) {
  const { t } = useTranslation("geo");
  if (asset.reject_reason === "") return null;
  const reason = reasonOf(asset.reject_reason);
  return (
    <div className={classes.trouble} role="status">
      <Glyph kind={asset.state === "failed" ? "failed" : "drifted"} />
      <div className={classes.words}>
        <span className="strong">{t(`reason.${reason}.short`)}</span>
        <span>{t(`reason.${reason}.what`)}</span>
        {asset.reject_detail !== "" && asset.missing.length === 0 && <span className="dim">{asset.reject_detail}</span>}
        {asset.version !== null && <span className="soft">{t("stays")}</span>}
        {asset.missing.length > 0 && (
          <ul className={classes.missing}>
            {asset.missing.map(({ token, flow_ids: flows }) => (
              <li key={token}>
                <code className="mono">{token}</code>{" "}
                {flows.slice(0, 5).map((id, at) => (
                  <FlowLink key={id} id={id} number={at + 1} />
                ))}
                {flows.length > 5 && <span className="soft">{t("more", { count: flows.length - 5 })}</span>}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

/** A flow by its name; by a number for those who may not see flows. */
function FlowLink({ id, number }: { id: string; number: number }) {
  const { t } = useTranslation("geo");
  const { data } = useQuery(flowQuery(id));
  return (
    <Link to={`/flows/${id}`} className={classes.inText}>
      {data?.name ?? t("usedBy", { number })}
    </Link>
  );
}
