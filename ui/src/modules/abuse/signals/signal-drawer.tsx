import { Drawer } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Facts } from "@/components/layout/card";
import { CodeBlock } from "@/components/text/code-block";
import { useFormat, useLanguage } from "@/text/use-format";
import classes from "../abuse.module.css";
import { AllowDialog } from "../allowlist/allow-dialog";
import { useBlock } from "../header";
import { Confidence } from "../shared/kinds";
import { asnText, countryName, destText } from "../shared/places";
import { UserLink } from "../shared/user";
import type { Signal } from "./api";

/** All that is known of one signal, and how hard the proof is. */
export function SignalDrawer({ signal, onClose }: { signal: Signal | undefined; onClose: () => void }) {
  const { t } = useTranslation("abuse");
  return (
    <Drawer opened={signal !== undefined} onClose={onClose} title={t("evidence.title")}>
      {signal && <Opened signal={signal} onClose={onClose} />}
    </Drawer>
  );
}

function Opened({ signal, onClose }: { signal: Signal; onClose: () => void }) {
  const { t } = useTranslation("abuse");
  const block = useBlock();
  const navigate = useNavigate();
  const [allowing, setAllowing] = useState(false);
  const showAll = () => {
    onClose();
    void navigate({ to: "/abuse/signals", search: { user_ref: signal.user_ref } });
  };
  return (
    <div className={classes.sheet}>
      <h2 className={classes.sheetTitle}>{t(`kind.${signal.kind}`)}</h2>
      <p className="soft">{t(`kindText.${signal.kind}`)}</p>
      <SignalFacts signal={signal} />
      <section aria-label={t("evidence.proof")} className={classes.notes}>
        <h3 className="caps">{t("evidence.proof")}</h3>
        <p className="soft">{t(`detectorText.${signal.detected_by}`)}</p>
        {signal.evidence ? (
          <CodeBlock value={signal.evidence} what={t("evidence.said")} />
        ) : (
          <p className="dim">{t("evidence.none")}</p>
        )}
      </section>
      <div className={classes.acts}>
        <Action onClick={showAll}>{t("evidence.more")}</Action>
        <Action reason={block} onClick={() => setAllowing(true)}>
          {t("allow.open")}
        </Action>
      </div>
      {allowing && (
        <AllowDialog
          preset={{ kind: "user", value: signal.user_ref, label: signal.user_label }}
          onClose={() => setAllowing(false)}
        />
      )}
    </div>
  );
}

function SignalFacts({ signal }: { signal: Signal }) {
  const { t } = useTranslation("abuse");
  const format = useFormat();
  const { source, dest, action } = signal;
  const until = action.will_unblock_at;
  const handled = action.blocked
    ? until
      ? t("evidence.blockedUntil", { when: format.fullMoment(until) })
      : t("evidence.blocked")
    : t("evidence.notBlocked");
  return (
    <Facts
      nameWidth={124}
      items={[
        { name: t("user.one"), value: <UserLink userRef={signal.user_ref} label={signal.user_label} /> },
        { name: t("evidence.to"), value: useDest(dest), mono: true },
        { name: t("evidence.from"), value: useSource(source) },
        { name: t("signals.count"), value: format.number(signal.count) },
        { name: t("evidence.first"), value: format.fullMoment(signal.first_at) },
        { name: t("signals.last"), value: format.fullMoment(signal.last_at) },
        { name: t("node"), value: signal.node_name || t("gone") },
        { name: t("flow"), value: signal.flow_name || t("unknown") },
        { name: t("evidence.listener"), value: signal.inbound_tag || t("unknown"), mono: signal.inbound_tag !== "" },
        { name: t("signals.certain"), value: <Confidence value={signal.confidence} /> },
        { name: t("evidence.handled"), value: handled },
      ]}
    />
  );
}

function useDest(dest: Signal["dest"]): string {
  const { t } = useTranslation("abuse");
  const extra = [dest.host && dest.ip, dest.asn > 0 && asnText(dest.asn)].filter(Boolean).join(", ");
  const where = destText(dest) || t("unknown");
  return extra ? `${where} (${extra})` : where;
}

/** Where the user came from: the address only as long as it is kept, and only of users with an open case. */
function useSource(source: Signal["source"]): string {
  const { t } = useTranslation("abuse");
  const language = useLanguage();
  const known = [
    source.ip,
    source.asn > 0 && asnText(source.asn),
    source.country && countryName(source.country, language),
  ].filter(Boolean);
  if (!source.ip) known.push(t("evidence.noAddress"));
  return known.join(", ");
}
