import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Status, Tag } from "@/components/status/status";
import { RelativeTime } from "@/components/text/relative-time";
import { useNow } from "@/components/text/use-now";
import { useFormat } from "@/text/use-format";
import type { Connection } from "./api";
import { isUsable, tokenAt } from "./causes";
import classes from "./proxypanel.module.css";

/** What the proxy panel is and counts, and how it is reached. Figures that cannot be read now are old ones. */
export function ConnectionFacts({ connection }: { connection: Connection }) {
  const { t } = useTranslation("proxypanel");
  return (
    <dl className={classes.facts} data-old={isUsable(connection) ? undefined : true}>
      <Fact name={t("facts.version")} old>
        <Version connection={connection} />
      </Fact>
      <Fact name={t("facts.users")} old>
        <Users connection={connection} />
      </Fact>
      <Fact name={t("facts.nodes")} old>
        <Nodes connection={connection} />
      </Fact>
      <Fact name={t("facts.token")}>
        <Token connection={connection} />
      </Fact>
      <Fact name={t("facts.access")}>
        <Access connection={connection} />
      </Fact>
      <Fact name={t("facts.looked")}>
        <Looked connection={connection} />
      </Fact>
    </dl>
  );
}

function Fact({ name, old, children }: { name: string; old?: boolean; children: ReactNode }) {
  return (
    <div data-old={old}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface OfConnection {
  connection: Connection;
}

function Version({ connection: { version, compatibility } }: OfConnection) {
  const { t } = useTranslation("proxypanel");
  if (version === "") return "—";
  return (
    <>
      <span className="num">{version}</span> {compatibility === "untested" && <Tag>{t("untested")}</Tag>}
    </>
  );
}

function Users({ connection: { panel } }: OfConnection) {
  const { t } = useTranslation("proxypanel");
  const format = useFormat();
  if (!panel) return "—";
  return (
    <>
      <span className="num">{format.number(panel.users)}</span>{" "}
      <span className="dim num">{t("online", { online: format.number(panel.users_online) })}</span>
    </>
  );
}

function Nodes({ connection: { panel } }: OfConnection) {
  const { t } = useTranslation("proxypanel");
  if (!panel) return "—";
  return (
    <>
      <span className="num">{t("nodesOf", { online: panel.nodes_online, total: panel.nodes })}</span>{" "}
      {panel.nodes_disabled > 0 && <span className="dim num">{t("nodesOff", { count: panel.nodes_disabled })}</span>}
    </>
  );
}

function Token({ connection }: OfConnection) {
  const { t } = useTranslation("proxypanel");
  const now = useNow();
  const state = tokenAt(connection, now);
  if (connection.token_expires_at === null) return t("token.endless");
  const when = <RelativeTime at={connection.token_expires_at} />;
  if (state === "good")
    return (
      <>
        {t("token.ends")} {when}
      </>
    );
  return (
    <Status kind={state === "ended" ? "down" : "degraded"}>
      {t(state === "ended" ? "token.ended" : "token.ends")} {when}
    </Status>
  );
}

function Access({ connection }: OfConnection) {
  const { t } = useTranslation("proxypanel");
  const { direct, has_extra_headers, has_cookie, has_ca, has_client_certificate } = connection;
  const parts = Object.entries({ direct, has_extra_headers, has_cookie, has_ca, has_client_certificate });
  const used = parts.flatMap(([part, set]) => (set ? [t(`access.${part as "direct"}`)] : []));
  return [t("access.token"), ...used].join(", ");
}

function Looked({ connection: { checked_at, latency_ms } }: OfConnection) {
  const { t } = useTranslation("proxypanel");
  if (checked_at === null) return t("never");
  return (
    <>
      <RelativeTime at={checked_at} />{" "}
      {latency_ms !== null && <span className="dim num">{t("ms", { ms: latency_ms })}</span>}
    </>
  );
}
