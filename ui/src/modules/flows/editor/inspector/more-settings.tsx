import { PasswordInput, Select, Switch, TextInput } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Listener } from "../../drawing/drawing";
import { securityOf } from "../../drawing/drawing";
import classes from "./form.module.css";

export type Shared = (field: string) => { "data-field": string; error: string | undefined; disabled: boolean };

export interface PartProps {
  listener: Listener;
  set: (field: string, value: unknown) => void;
  shared: Shared;
}

const fields = [
  "sniffing",
  "accept_proxy_protocol",
  "reality.private_key",
  "reality.public_key",
  "reality.mldsa65",
  "extra",
];

/** What most listeners never need: closed until somebody opens it, or a field in it is at fault. */
export function MoreSettings(props: PartProps & { hop: boolean }) {
  const { t } = useTranslation("flows");
  const [opened, setOpened] = useState(false);
  const { listener, set, shared, hop } = props;
  const faulty = fields.some((field) => shared(field).error !== undefined);
  return (
    <details
      className={classes.more}
      open={opened || faulty}
      onToggle={(event) => setOpened(event.currentTarget.open)}
      data-field={shared("extra")["data-field"]}
    >
      <summary>
        <IconChevronDown size={16} stroke={1.6} aria-hidden />
        {t("field.more")}
      </summary>
      <div className={classes.form}>
        <Select
          className={classes.wide}
          label={t("field.sniffing")}
          data={[
            { value: "auto", label: t("field.sniffingAuto") },
            { value: "on", label: t("field.sniffingOn") },
            { value: "off", label: t("field.sniffingOff") },
          ]}
          value={listener.sniffing ?? "auto"}
          allowDeselect={false}
          onChange={(value) => set("sniffing", value === "auto" ? undefined : value)}
          {...shared("sniffing")}
        />
        {!hop && overTCP(listener) && (
          <Switch
            className={classes.wide}
            label={t("field.accept_proxy_protocol")}
            description={t("field.acceptProxyHelp")}
            checked={listener.accept_proxy_protocol === true}
            onChange={(event) => set("accept_proxy_protocol", event.currentTarget.checked || undefined)}
            disabled={shared("accept_proxy_protocol").disabled}
            error={shared("accept_proxy_protocol").error}
            data-field={shared("accept_proxy_protocol")["data-field"]}
          />
        )}
        {securityOf(listener) === "reality" && <KeyFields {...props} />}
        {listener.transport === "xhttp" && <ExtraFields {...props} />}
      </div>
    </details>
  );
}

/** The PROXY protocol stands before connections: a listener for datagrams has none. */
function overTCP({ protocol, l4 }: Listener): boolean {
  if (protocol === "shadowsocks2022") return l4 === "tcp";
  return protocol !== "hysteria2" && protocol !== "wireguard";
}

/** An own key goes in and never out: the panel keeps it and tells its public half. */
function KeyFields({ listener, set, shared }: PartProps) {
  const { t } = useTranslation("flows");
  const { private_key: typed, public_key: kept, ...rest } = listener.reality ?? {};
  const drop = () => set("reality", rest);
  return (
    <>
      <PasswordInput
        className={classes.wide}
        label={t("field.own_key")}
        description={t("field.ownKeyHelp")}
        placeholder={kept ? t("field.ownKeyKept", { key: kept.slice(0, 12) }) : t("field.shortIdsHint")}
        value={typed ?? ""}
        onChange={(event) => set("reality.private_key", event.currentTarget.value.trim() || undefined)}
        autoComplete="off"
        {...shared("reality.private_key")}
      />
      {kept && (
        <button
          type="button"
          className={classes.drop}
          onClick={drop}
          disabled={shared("reality.public_key").disabled}
          data-field={shared("reality.public_key")["data-field"]}
        >
          {t("field.ownKeyDrop")}
        </button>
      )}
      <Switch
        className={classes.wide}
        label={t("field.mldsa65")}
        description={t("field.mldsa65Help")}
        checked={listener.reality?.mldsa65 === true}
        onChange={(event) => set("reality.mldsa65", event.currentTarget.checked || undefined)}
        disabled={shared("reality.mldsa65").disabled}
        data-field={shared("reality.mldsa65")["data-field"]}
      />
    </>
  );
}

/** The settings of xhttp that are changed most; all of them are in the JSON view. */
function ExtraFields({ listener, set, shared }: PartProps) {
  const { t } = useTranslation("flows");
  const text = (field: "x_padding_bytes" | "xmux.max_concurrency", label: string, value: string | undefined) => (
    <TextInput
      label={label}
      value={value ?? ""}
      placeholder={field === "x_padding_bytes" ? "100-1000" : "16-32"}
      onChange={(event) => set(`extra.${field}`, event.currentTarget.value.trim() || undefined)}
      {...shared(`extra.${field}`)}
    />
  );
  return (
    <>
      {text("x_padding_bytes", t("field.x_padding_bytes"), listener.extra?.x_padding_bytes)}
      {text("xmux.max_concurrency", t("field.max_concurrency"), listener.extra?.xmux?.max_concurrency)}
      <Switch
        className={classes.wide}
        label={t("field.no_grpc_header")}
        checked={listener.extra?.no_grpc_header === true}
        onChange={(event) => set("extra.no_grpc_header", event.currentTarget.checked || undefined)}
        disabled={shared("extra.no_grpc_header").disabled}
        data-field={shared("extra.no_grpc_header")["data-field"]}
      />
      <p className={classes.help}>{t("field.extraHelp")}</p>
    </>
  );
}
