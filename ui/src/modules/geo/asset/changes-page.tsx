import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconGitCompare } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { Card, Row, Rows } from "@/components/layout/card";
import { useSearchState } from "@/components/screen/use-search";
import { ProblemNote } from "@/components/state/problem-view";
import { EmptyState, Skeleton } from "@/components/state/states";
import { useFormat } from "@/text/use-format";
import { changesQuery, versionsQuery, type Asset, type Changes, type KeptVersion } from "../api";
import classes from "../geo.module.css";
import { shortDigest } from "../state";
import { AssetPage } from "./asset-page";

const search = z.object({
  from: z.string().optional().catch(undefined),
  to: z.string().optional().catch(undefined),
});

/** What changed between two versions of a file. */
export default function ChangesPage() {
  return <AssetPage current="changes">{(asset) => <Comparing asset={asset} />}</AssetPage>;
}

function Comparing({ asset }: { asset: Asset }) {
  const { t } = useTranslation("geo");
  const [place, setPlace] = useSearchState(search);
  const versions = useQuery(versionsQuery(asset.id));
  if (!versions.data) return versions.error ? <ProblemNote error={versions.error} /> : <Skeleton rows={6} />;
  if (versions.data.length < 2)
    return (
      <EmptyState icon={IconGitCompare} title={t("changes.one")}>
        {t("changes.oneText")}
      </EmptyState>
    );
  const { from, to } = chosenPair(asset, versions.data, place);
  return (
    <>
      <div className={classes.pair}>
        <VersionSelect
          label={t("changes.from")}
          versions={versions.data}
          value={from}
          onChange={(one) => setPlace({ from: one, to })}
        />
        <VersionSelect
          label={t("changes.to")}
          versions={versions.data}
          value={to}
          onChange={(one) => setPlace({ from, to: one })}
        />
      </div>
      {from === to ? <p className="soft">{t("changes.same")}</p> : <Difference id={asset.id} from={from} to={to} />}
    </>
  );
}

/** The versions that the address names, or the latest step: to what waits, or to what nodes have. */
function chosenPair(asset: Asset, versions: KeptVersion[], place: { from?: string; to?: string }) {
  const known = (sha256: string | undefined) => versions.find((version) => version.sha256 === sha256)?.sha256;
  const newest = asset.candidate ?? asset.version;
  const before = asset.candidate ? asset.version : asset.previous;
  const to = known(place.to) ?? known(newest?.sha256) ?? versions[0]!.sha256;
  const other = versions.find(({ sha256 }) => sha256 !== to)!.sha256;
  return { from: known(place.from) ?? known(before?.sha256) ?? other, to };
}

interface VersionSelectProps {
  label: string;
  versions: KeptVersion[];
  value: string;
  onChange: (sha256: string) => void;
}

function VersionSelect({ label, versions, value, onChange }: VersionSelectProps) {
  const { t } = useTranslation("geo");
  const format = useFormat();
  const nameOf = ({ sha256, state, fetched_at: at }: KeptVersion) =>
    `${format.moment(at)} · ${t(`versions.state.${state}`)} · ${shortDigest(sha256)}`;
  return (
    <Select
      label={label}
      allowDeselect={false}
      data={versions.map((version) => ({ value: version.sha256, label: nameOf(version) }))}
      value={value}
      onChange={(one) => one && onChange(one)}
    />
  );
}

function Difference({ id, from, to }: { id: string; from: string; to: string }) {
  const { t } = useTranslation("geo");
  const { data, error } = useQuery(changesQuery(id, from, to));
  if (error) return <ProblemNote error={error} />;
  if (!data) return <Skeleton rows={6} />;
  const { added, removed, changed } = data;
  if (added.length + removed.length + changed.length === 0) return <p>{t("changes.nothing")}</p>;
  return (
    <>
      {removed.length > 0 && <Names title={t("changes.removed", { count: removed.length })} names={removed} sign="-" />}
      {added.length > 0 && <Names title={t("changes.added", { count: added.length })} names={added} sign="+" />}
      {changed.length > 0 && <Changed changes={data} />}
      {data.truncated && <p className="soft">{t("changes.truncated")}</p>}
    </>
  );
}

function Names({ title, names, sign }: { title: string; names: string[]; sign: "+" | "-" }) {
  return (
    <Card title={title} label={title}>
      <ul className={classes.names} data-sign={sign}>
        {names.map((name) => (
          <li key={name} className="mono">
            {name}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Changed({ changes: { changed } }: { changes: Changes }) {
  const { t } = useTranslation("geo");
  const format = useFormat();
  const title = t("changes.changed", { count: changed.length });
  return (
    <Card title={title} label={title} flush>
      <Rows label={title}>
        {changed.map((one) => (
          <Row key={one.category} className={classes.changed}>
            <span className="mono strong">{one.category}</span>
            <span className={`${classes.counts} num`}>
              {one.added_count > 0 && <span data-sign="+">+{format.number(one.added_count)}</span>}
              {one.removed_count > 0 && <span data-sign="-">−{format.number(one.removed_count)}</span>}
            </span>
            <span className={`${classes.samples} mono`}>
              {one.added.map((value) => (
                <span key={`+${value}`} data-sign="+">
                  + {value}
                </span>
              ))}
              {one.removed.map((value) => (
                <span key={`-${value}`} data-sign="-">
                  − {value}
                </span>
              ))}
            </span>
          </Row>
        ))}
      </Rows>
    </Card>
  );
}
