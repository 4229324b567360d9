import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/components/action/copy-button";
import { Card, Facts, Row, Rows } from "@/components/layout/card";
import { Columns } from "@/components/layout/columns";
import { ProblemNote } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { Status } from "@/components/status/status";
import type { GlyphKind } from "@/components/status/glyph";
import { RelativeTime } from "@/components/text/relative-time";
import { useFormat } from "@/text/use-format";
import { versionsQuery, type Asset, type KeptVersion } from "../api";
import classes from "../geo.module.css";
import { shortDigest } from "../state";
import { AssetPage, useAssetId } from "./asset-page";
import { HoldersBar } from "./holders-bar";

/** Which versions of a file there are, which of them nodes have, and where it comes from. */
export default function VersionsPage() {
  return (
    <AssetPage current="versions">
      {(asset) => (
        <Columns width="narrow" side={<SourceCard asset={asset} />}>
          {asset.on_nodes && asset.version !== null && <HoldersBar asset={asset} />}
          <VersionsCard asset={asset} />
        </Columns>
      )}
    </AssetPage>
  );
}

const glyphs: Record<KeptVersion["state"], GlyphKind> = {
  current: "in-sync",
  candidate: "draft",
  previous: "skipped",
  kept: "skipped",
};

function VersionsCard({ asset }: { asset: Asset }) {
  const { t } = useTranslation("geo");
  const id = useAssetId();
  const { data, error } = useQuery(versionsQuery(id));
  return (
    <Card title={t("versions.title")} aside={t("versions.aside")} label={t("versions.title")} flush>
      {error && <ProblemNote error={error} />}
      {!data && !error && <Skeleton rows={3} />}
      {data?.length === 0 && <EmptyState title={t("versions.none")}>{t("versions.noneText")}</EmptyState>}
      {data && data.length > 0 && (
        <Rows label={t("versions.title")}>
          {data.map((version) => (
            <Row key={version.sha256} className={classes.version}>
              <Status kind={glyphs[version.state]}>{t(`versions.state.${version.state}`)}</Status>
              <VersionFacts version={version} />
              <span className={classes.digest}>
                <code className="mono">{shortDigest(version.sha256)}</code>
                <CopyButton value={version.sha256} what={t("versions.digest")} />
              </span>
              {asset.file !== "mmdb" && version.state !== "current" && asset.version !== null && (
                <Link
                  to={`/geo/${id}/changes`}
                  search={
                    (version.state === "candidate"
                      ? { from: asset.version.sha256, to: version.sha256 }
                      : { from: version.sha256, to: asset.version.sha256 }) as never
                  }
                >
                  {t("versions.compare")}
                </Link>
              )}
            </Row>
          ))}
        </Rows>
      )}
    </Card>
  );
}

function VersionFacts({ version }: { version: KeptVersion }) {
  const { t } = useTranslation("geo");
  const format = useFormat();
  return (
    <span className={classes.two}>
      <span>
        <RelativeTime at={version.fetched_at} />
      </span>
      <span className={`${classes.second} num`}>
        {[
          version.categories > 0 && t("categories", { count: version.categories }),
          version.entries > 0 && t("entries", { count: version.entries, shown: format.number(version.entries) }),
          format.bytes(version.size),
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
    </span>
  );
}

function SourceCard({ asset }: { asset: Asset }) {
  const { t } = useTranslation("geo");
  return (
    <Card title={t("source.title")} label={t("source.title")}>
      <Facts
        items={[
          { name: t("source.kind"), value: t(`file.${asset.file}`) },
          { name: t("source.address"), value: asset.source_url, mono: true },
          {
            name: t("source.checksum"),
            value: asset.checksum_url || t("source.noChecksum"),
            mono: asset.checksum_url !== "",
          },
          {
            name: t("source.when"),
            value: asset.schedule.enabled ? asset.schedule.cron : t("byHand"),
            mono: asset.schedule.enabled,
          },
        ]}
      />
    </Card>
  );
}
