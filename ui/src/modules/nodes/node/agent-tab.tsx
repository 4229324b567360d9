import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action, ActionLink } from "@/components/action/action";
import { Card, Facts } from "@/components/layout/card";
import { SlotPart, useSlot } from "@/components/slots/slots";
import { CodeBlock } from "@/components/text/code-block";
import { Confirm } from "@/components/dialog/confirm";
import { ProblemNote } from "@/components/state/problem-view";
import { RelativeTime } from "@/components/text/relative-time";
import { Skeleton } from "@/components/state/states";
import { toastDone, toastProblem } from "@/components/state/toast";
import { useFormat } from "@/text/use-format";
import { operationQuery, useFetchLogs, useRevokeAgent, useRotateToken } from "../shared/api";
import classes from "./node.module.css";
import type { NodeDetail } from "../shared/types";

export function AgentTab({ node, block }: { node: NodeDetail; block: string | undefined }) {
  return (
    <div className={classes.stack}>
      <BindingCard node={node} block={block} />
      <LogsCard node={node} block={block} />
      {useSlot("nodeParts").map((entry) => (
        <SlotPart key={entry.key} entry={entry} props={{ id: node.id }} />
      ))}
      {node.sockets.length > 0 && <SocketsCard node={node} />}
    </div>
  );
}

function BindingCard({ node, block }: { node: NodeDetail; block: string | undefined }) {
  const { t } = useTranslation("nodes");
  const format = useFormat();
  const [revoking, setRevoking] = useState(false);
  const revoke = useRevokeAgent(node.id);
  const rotate = useRotateToken();
  const { agent } = node;
  const bound = agent.enrolled_at !== null && agent.link !== "revoked";
  return (
    <Card
      title={t("binding.title")}
      right={
        <>
          {block === undefined && (
            <ActionLink size="bar" to="/nodes/new" search={{ id: node.id }}>
              {bound ? t("binding.rebind") : t("binding.bind")}
            </ActionLink>
          )}
          {bound && (
            <Action
              size="bar"
              reason={block}
              busy={rotate.isPending}
              onClick={() =>
                rotate.mutate(node.id, {
                  onSuccess: () => toastDone(t("binding.rotated")),
                  onError: (error) => toastProblem(t("failed"), error),
                })
              }
            >
              {t("binding.rotate")}
            </Action>
          )}
          {bound && (
            <Action size="bar" kind="danger" reason={block} onClick={() => setRevoking(true)}>
              {t("binding.revoke")}
            </Action>
          )}
        </>
      }
    >
      <Facts
        nameWidth={140}
        items={[
          { name: t("agent.link"), value: t(`link.${agent.link}`) },
          { name: t("agent.version"), value: agent.version || "—" },
          { name: t("agent.protocol"), value: agent.protocol || "—" },
          { name: t("agent.lastSeen"), value: agent.last_seen_at ? <RelativeTime at={agent.last_seen_at} /> : "—" },
          {
            name: t("agent.bound"),
            value: agent.enrolled_at ? format.fullMoment(agent.enrolled_at) : t("agent.notBound"),
          },
          { name: t("agent.host"), value: [agent.hostname, agent.os, agent.arch].filter(Boolean).join(", ") || "—" },
          { name: t("agent.addresses"), value: node.addresses.join(", ") || "—", mono: true },
          {
            name: t("agent.firewall"),
            value:
              node.firewall
                .filter((item) => item.active)
                .map((item) => item.kind)
                .join(", ") || t("agent.noFirewall"),
          },
        ]}
      />
      <Confirm
        opened={revoking}
        onClose={() => setRevoking(false)}
        onConfirm={() => revoke.mutate(undefined, { onSuccess: () => setRevoking(false) })}
        busy={revoke.isPending}
        error={revoke.error}
        title={t("binding.revokeTitle", { name: node.name })}
        verb={t("binding.revokeVerb")}
        consequences={[t("binding.revokeNow"), t("binding.revokeTraffic"), t("binding.revokeAgain")]}
      >
        {t("binding.revokeText")}
      </Confirm>
    </Card>
  );
}

function LogsCard({ node, block }: { node: NodeDetail; block: string | undefined }) {
  const { t } = useTranslation("nodes");
  const fetchLogs = useFetchLogs(node.id);
  const operation = useQuery(operationQuery(node.id, fetchLogs.data?.id)).data;
  const running = fetchLogs.isPending || operation?.state === "queued" || operation?.state === "running";
  const reason = block ?? (node.agent.connected ? undefined : t("logs.offline"));
  return (
    <Card
      title={t("logs.title")}
      aside={t("logs.lead")}
      right={
        <Action size="bar" busy={running} reason={reason} onClick={() => fetchLogs.mutate()}>
          {t("logs.fetch")}
        </Action>
      }
    >
      {fetchLogs.error && <ProblemNote error={fetchLogs.error} />}
      {running && <Skeleton rows={4} />}
      {operation?.state === "failed" && <p className="soft">{operation.error}</p>}
      {operation?.logs ? (
        <div className={classes.stack}>
          <Log title={t("logs.ofAgent")} what={t("logs.agent")} lines={operation.logs.agent} />
          <Log title={t("logs.ofCore")} what={t("logs.core")} lines={operation.logs.core} />
        </div>
      ) : (
        !running && !fetchLogs.error && <p className="dim">{t("logs.text")}</p>
      )}
    </Card>
  );
}

function Log({ title, what, lines }: { title: string; what: string; lines: string[] }) {
  const { t } = useTranslation("nodes");
  return (
    <section className={classes.log} aria-label={title}>
      <p className="strong">{title}</p>
      {lines.length > 0 ? <CodeBlock value={lines.join("\n")} what={what} /> : <p className="dim">{t("logs.empty")}</p>}
    </section>
  );
}

function SocketsCard({ node }: { node: NodeDetail }) {
  const { t } = useTranslation("nodes");
  return (
    <Card title={t("sockets.title")} aside={t("sockets.lead")} flush>
      <table className={classes.sockets}>
        <thead>
          <tr>
            <th scope="col">{t("sockets.port")}</th>
            <th scope="col">{t("sockets.address")}</th>
            <th scope="col">{t("sockets.process")}</th>
          </tr>
        </thead>
        <tbody>
          {node.sockets.map((socket) => (
            <tr key={`${socket.l4}${socket.ip}${socket.port}`}>
              <td className="mono">
                {socket.port}/{socket.l4}
              </td>
              <td className="mono">{socket.ip}</td>
              <td>{socket.own ? t("sockets.own") : socket.process || "—"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
