import { NumberInput, Select, Switch, TagsInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Segmented } from "@/components/form/segmented";
import type { Block, Listener, Protocol } from "../../drawing/drawing";
import { securityOf } from "../../drawing/drawing";
import { setField, withProtocol, withSecurity, withTLS } from "../../drawing/drawing-edits";
import { useEditor } from "../editor-context";
import { FormSection, useFieldProblem } from "./field";
import classes from "./form.module.css";
import { MoreSettings, type PartProps, type Shared } from "./more-settings";
import { SharedPort } from "./shared-port";
import { TargetFields, type TargetProps } from "./target-fields";

interface ListenerFormProps {
  block: Block;
  path: "params.listener" | "params.hop";
}

/**
 * Where clients or other servers connect, and what is spoken there. Fields that a protocol does not know are not drawn.
 */
export function ListenerForm({ block, path }: ListenerFormProps) {
  const { t } = useTranslation("flows");
  const { closed } = useEditor();
  const { listener, set, setAll, shared } = useListener(block, path);
  const hop = path === "params.hop";
  const served = !hop && block.params?.proxypanel !== undefined;
  return (
    <FormSection title={t(path === "params.hop" ? "hop.listener" : "listener.title")}>
      <div className={classes.wide} data-field={`${path}.protocol`}>
        <Select
          label={t("field.protocol")}
          data={protocols.filter(({ entryOnly }) => !(hop && entryOnly))}
          value={listener.protocol ?? "vless"}
          allowDeselect={false}
          onChange={(protocol) => protocol && setAll(withProtocol(listener, protocol as Protocol))}
          disabled={closed !== undefined}
        />
      </div>
      {listener.protocol === "vless" && (
        <div className={classes.wide} data-field={`${path}.security`}>
          <Segmented<"reality" | "tls" | "none">
            label={t("field.security")}
            value={securityOf(listener)}
            onChange={(security) => closed === undefined && setAll(withSecurity(listener, security))}
            options={[
              { value: "reality", label: "REALITY" },
              ...(!served || securityOf(listener) === "tls" ? [{ value: "tls" as const, label: "TLS" }] : []),
              ...(served ? [{ value: "none" as const, label: t("served.unencrypted") }] : []),
            ]}
          />
        </div>
      )}
      {listener.protocol === "vmess" && (
        <Switch
          className={classes.wide}
          label={t("field.tls")}
          description={t("field.vmessHelp")}
          checked={securityOf(listener) === "tls"}
          onChange={(event) => setAll(withTLS(listener, event.currentTarget.checked))}
          disabled={closed !== undefined}
          data-field={`${path}.security`}
        />
      )}
      {securityOf(listener) === "tls" && <p className={classes.help}>{t(hop ? "hop.tlsHelp" : "field.tlsHelp")}</p>}
      <PortField listener={listener} set={set} shared={shared} automatic={path === "params.hop"} />
      {!hop && <SharedPort block={block.key} />}
      <TextInput
        label={t("field.listen_ip")}
        placeholder="0.0.0.0"
        value={listener.listen_ip ?? ""}
        onChange={(event) => set("listen_ip", event.currentTarget.value.trim())}
        {...shared("listen_ip")}
      />
      {listener.protocol === "shadowsocks2022" && <ShadowsocksFields listener={listener} set={set} shared={shared} />}
      {listener.protocol === "hysteria2" && <HysteriaFields listener={listener} set={set} shared={shared} />}
      {listener.protocol === "wireguard" && <p className={classes.help}>{t("field.wireguardHelp")}</p>}
      {carried(listener) && (
        <>
          {securityOf(listener) === "reality" && (
            <RealityFields listener={listener} set={set} setAll={setAll} shared={shared} nodeId={block.node_id} />
          )}
          <TransportFields listener={listener} set={set} shared={shared} />
        </>
      )}
      <MoreSettings listener={listener} set={set} shared={shared} hop={hop} />
    </FormSection>
  );
}

const protocols = [
  { value: "vless", label: "VLESS", entryOnly: false },
  { value: "trojan", label: "Trojan", entryOnly: false },
  { value: "vmess", label: "VMess", entryOnly: false },
  { value: "hysteria2", label: "Hysteria 2", entryOnly: false },
  { value: "shadowsocks2022", label: "Shadowsocks 2022", entryOnly: false },
  { value: "wireguard", label: "WireGuard", entryOnly: true },
];

/** Whether the protocol is carried by a transport that can be chosen. */
function carried({ protocol }: Listener): boolean {
  return protocol !== "shadowsocks2022" && protocol !== "hysteria2" && protocol !== "wireguard";
}

function useListener(block: Block, path: ListenerFormProps["path"]) {
  const { store, closed } = useEditor();
  const problem = useFieldProblem({ block: block.key });
  const listener: Listener = (path === "params.hop" ? block.params?.hop : block.params?.listener) ?? {};
  const edit = (field: string, value: unknown) =>
    store.getState().edit((drawing) => setField(drawing, block.key, field, value));
  return {
    listener,
    set: (field: string, value: unknown) => edit(`${path}.${field}`, value),
    setAll: (value: Listener) => edit(path, value),
    shared: ((field) => ({
      "data-field": `${path}.${field}`,
      error: problem(`${path}.${field}`),
      disabled: closed !== undefined,
    })) as Shared,
  };
}

function PortField({ listener, set, shared, automatic }: PartProps & { automatic: boolean }) {
  const { t } = useTranslation("flows");
  return (
    <NumberInput
      label={t("field.port")}
      placeholder={automatic ? t("field.portAutomatic") : listener.protocol === "wireguard" ? "51820" : "443"}
      min={1}
      max={65535}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      hideControls
      value={listener.port ?? ""}
      onChange={(value) => set("port", value === "" ? undefined : Number(value))}
      rightSection={
        <span className={classes.unit}>
          {listener.protocol === "shadowsocks2022"
            ? (listener.l4 ?? "both") === "both"
              ? "tcp+udp"
              : listener.l4
            : listener.protocol === "hysteria2" || listener.protocol === "wireguard"
              ? "udp"
              : "tcp"}
        </span>
      }
      rightSectionWidth={64}
      {...shared("port")}
    />
  );
}

/** What strangers see of a REALITY listener, and how it knows its clients. */
function RealityFields({ listener, set, setAll, shared, nodeId }: PartProps & TargetProps) {
  const { t } = useTranslation("flows");
  return (
    <>
      <TargetFields listener={listener} setAll={setAll} shared={shared} nodeId={nodeId} />
      <Switch
        className={classes.wide}
        label={t("field.allow_private_target")}
        description={t("field.allowPrivateTargetHelp")}
        checked={listener.reality?.allow_private_target === true}
        onChange={(event) => set("reality.allow_private_target", event.currentTarget.checked || undefined)}
        disabled={shared("reality.allow_private_target").disabled}
        data-field={shared("reality.allow_private_target")["data-field"]}
      />
      <TagsInput
        className={classes.wide}
        label={t("field.server_names")}
        description={t("field.serverNamesHelp")}
        placeholder={(listener.reality?.server_names ?? []).length === 0 ? hostOf(listener.reality?.target) : undefined}
        splitChars={[",", " "]}
        maxTags={32}
        value={listener.reality?.server_names ?? []}
        onChange={(value) => set("reality.server_names", value)}
        {...shared("reality.server_names")}
      />
      <TagsInput
        label={t("field.short_ids")}
        placeholder={(listener.reality?.short_ids ?? []).length === 0 ? t("field.shortIdsHint") : undefined}
        splitChars={[",", " "]}
        maxTags={32}
        value={listener.reality?.short_ids ?? []}
        onChange={(value) => set("reality.short_ids", value)}
        {...shared("reality.short_ids")}
      />
      <Select
        label={t("field.xver")}
        data={[
          { value: "0", label: t("field.xverNone") },
          { value: "1", label: "1" },
          { value: "2", label: "2" },
        ]}
        value={String(listener.reality?.xver ?? 0)}
        allowDeselect={false}
        onChange={(value) => set("reality.xver", Number(value) || undefined)}
        {...shared("reality.xver")}
      />
      <LimitField direction="up" listener={listener} set={set} shared={shared} />
      <LimitField direction="down" listener={listener} set={set} shared={shared} />
    </>
  );
}

const kilobyte = 1000;

/** How fast strangers may use the target; from which byte on is a matter of the JSON view. */
function LimitField({ direction, listener, set, shared }: PartProps & { direction: "up" | "down" }) {
  const { t } = useTranslation("flows");
  const name = `limit_fallback_${direction}` as const;
  const limit = listener.reality?.[name];
  return (
    <NumberInput
      label={t(`field.${name}`)}
      placeholder={t("field.limitNone")}
      min={1}
      allowDecimal={false}
      allowNegative={false}
      hideControls
      value={limit ? limit.bytes_per_sec / kilobyte : ""}
      onChange={(value) =>
        set(`reality.${name}`, value === "" ? undefined : { ...limit, bytes_per_sec: Number(value) * kilobyte })
      }
      {...shared(`reality.${name}`)}
    />
  );
}

/** How traffic is carried inside REALITY or TLS. */
function TransportFields({ listener, set, shared }: PartProps) {
  const { t } = useTranslation("flows");
  const { transport = "raw" } = listener;
  const upgrades = [
    { value: "ws", label: "WebSocket" },
    { value: "httpupgrade", label: "HTTPUpgrade" },
  ];
  return (
    <>
      <Select
        label={t("field.transport")}
        data={[
          { value: "raw", label: "RAW" },
          { value: "xhttp", label: "XHTTP" },
          { value: "grpc", label: "gRPC" },
          ...(securityOf(listener) === "reality" ? [] : upgrades),
        ]}
        value={transport}
        onChange={(value) => set("transport", value === "raw" ? undefined : value)}
        {...shared("transport")}
      />
      {transport === "raw" && listener.protocol === "vless" && (
        <Select
          label={t("field.flow")}
          data={[
            { value: "xtls-rprx-vision", label: "Vision" },
            { value: "none", label: t("field.flowNone") },
          ]}
          value={listener.flow ?? "xtls-rprx-vision"}
          onChange={(value) => set("flow", value === "none" ? "none" : undefined)}
          {...shared("flow")}
        />
      )}
      {["xhttp", "ws", "httpupgrade"].includes(transport) && (
        <TextInput
          label={t("field.path")}
          placeholder="/"
          value={listener.path ?? ""}
          onChange={(event) => set("path", event.currentTarget.value.trim())}
          {...shared("path")}
        />
      )}
      {transport === "xhttp" && (
        <Select
          label={t("field.mode")}
          data={["auto", "packet-up", "stream-up", "stream-one"]}
          value={listener.mode ?? "auto"}
          onChange={(value) => set("mode", value === "auto" ? undefined : value)}
          {...shared("mode")}
        />
      )}
      {transport === "grpc" && (
        <TextInput
          label={t("field.service_name")}
          placeholder="grpc"
          value={listener.service_name ?? ""}
          onChange={(event) => set("service_name", event.currentTarget.value.trim())}
          {...shared("service_name")}
        />
      )}
      {securityOf(listener) === "tls" && (
        <Select
          label={t("field.min_version")}
          data={["1.2", "1.3"]}
          value={listener.min_version ?? "1.2"}
          allowDeselect={false}
          onChange={(value) => set("min_version", value === "1.3" ? value : undefined)}
          {...shared("min_version")}
        />
      )}
      <Select
        label={t("field.fingerprint")}
        data={["chrome", "firefox", "safari", "ios", "android", "edge", "random", "randomized"]}
        value={listener.fingerprint ?? "chrome"}
        onChange={(value) => set("fingerprint", value === "chrome" ? undefined : value)}
        {...shared("fingerprint")}
      />
    </>
  );
}

/** How packets look, and the ports among which clients change. */
function HysteriaFields({ listener, set, shared }: PartProps) {
  const { t } = useTranslation("flows");
  return (
    <>
      <TextInput
        label={t("field.port_range")}
        description={t("field.portRangeHelp")}
        placeholder="20000-20010"
        value={listener.port_range ?? ""}
        onChange={(event) => {
          const range = event.currentTarget.value.trim();
          set("port_range", range || undefined);
          if (range && listener.port) set("port", undefined);
        }}
        {...shared("port_range")}
      />
      <Switch
        className={classes.wide}
        label={t("field.obfs")}
        description={t("field.obfsHelp")}
        checked={listener.obfs === "salamander"}
        onChange={(event) => set("obfs", event.currentTarget.checked ? "salamander" : undefined)}
        disabled={shared("obfs").disabled}
        data-field={shared("obfs")["data-field"]}
      />
    </>
  );
}

function ShadowsocksFields({ listener, set, shared }: PartProps) {
  const { t } = useTranslation("flows");
  return (
    <>
      <Select
        className={classes.wide}
        label={t("field.method")}
        data={["2022-blake3-aes-128-gcm", "2022-blake3-aes-256-gcm"].map((value) => ({
          value,
          label: value.replace("2022-", ""),
        }))}
        value={listener.method ?? "2022-blake3-aes-256-gcm"}
        onChange={(value) => set("method", value)}
        {...shared("method")}
      />
      <Select
        label={t("field.l4")}
        data={[
          { value: "both", label: "TCP + UDP" },
          { value: "tcp", label: "TCP" },
          { value: "udp", label: "UDP" },
        ]}
        value={listener.l4 ?? "both"}
        onChange={(value) => set("l4", value === "both" ? undefined : value)}
        {...shared("l4")}
      />
    </>
  );
}

function hostOf(target: string | undefined): string | undefined {
  return target?.replace(/:\d+$/, "") || undefined;
}
