import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { IconSearch } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { Card } from "@/components/layout/card";
import { useSearchState } from "@/components/screen/use-search";
import { ProblemNote } from "@/components/state/problem-view";
import { Tag } from "@/components/status/status";
import { lookupQuery, type Lookup } from "./api";
import classes from "./geo.module.css";

const search = z.object({ find: z.string().max(253).optional().catch(undefined) });

/** Which list holds a domain or an address, over all files. */
export function LookupCard() {
  const { t } = useTranslation("geo");
  const [place, setPlace] = useSearchState(search);
  const text = place.find ?? "";
  const [q] = useDebouncedValue(text.trim(), 250);
  const found = useQuery(lookupQuery(q));
  return (
    <Card title={t("lookup.title")} label={t("lookup.title")}>
      <div className={classes.lookup}>
        <TextInput
          className={classes.search}
          aria-label={t("lookup.field")}
          placeholder={t("lookup.field")}
          leftSection={<IconSearch size={14} aria-hidden />}
          maxLength={253}
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={(event) => setPlace({ find: event.currentTarget.value })}
        />
        <div aria-live="polite" className={classes.stack}>
          {q === "" && <p className="soft">{t("lookup.help")}</p>}
          {q !== "" && found.error && <ProblemNote error={found.error} />}
          {q !== "" && found.data && <Found lookup={found.data} />}
        </div>
      </div>
    </Card>
  );
}

function Found({ lookup }: { lookup: Lookup }) {
  const { t } = useTranslation("geo");
  const { matches, country, network } = lookup;
  return (
    <>
      {lookup.kind === "address" && (country || network) && (
        <p>{[country, network && `AS${network.asn} ${network.name}`].filter(Boolean).join(" · ")}</p>
      )}
      {matches.length === 0 ? (
        <p>{t("lookup.nowhere", { query: lookup.query })}</p>
      ) : (
        <ul className={classes.matches} aria-label={t("lookup.found")}>
          {matches.map((match) => (
            <li key={`${match.asset_id} ${match.category} ${match.rule}`}>
              <Link
                to={`/geo/${match.asset_id}/categories`}
                search={{ open: match.category, within: match.rule } as never}
                className="mono"
              >
                {match.category}
              </Link>
              <span className="soft">{match.asset}</span>
              <span className={`${classes.rule} mono`}>
                {t(`rule.${match.rule_kind}`)} {match.rule}
              </span>
              {match.attributes.map((attribute) => (
                <Tag key={attribute}>@{attribute}</Tag>
              ))}
              {match.used_by_count > 0 && <Tag>{t("used", { count: match.used_by_count })}</Tag>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
