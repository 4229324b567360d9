import { Select, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import type { NodeIp } from "../shared/api";
import classes from "./node.module.css";

type Role = NodeIp["role"];

const roles: Role[] = ["inbound", "outbound", "management", "transit", "monitoring", "reserve", "blocked", "flagged"];

/** IPv6 has colons, IPv4 has none; the panel checks the rest. */
export function familyOf(ip: string): NodeIp["family"] {
  return ip.includes(":") ? 6 : 4;
}

/** The addresses of a server and what each of them is for. */
export function AddressList({
  ips,
  onChange,
  disabled,
  error,
}: {
  ips: NodeIp[];
  onChange: (ips: NodeIp[]) => void;
  disabled: boolean;
  error: string | undefined;
}) {
  const { t } = useTranslation("nodes");
  const change = (at: number, part: Partial<NodeIp>) =>
    onChange(ips.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return (
    <fieldset className={classes.addresses}>
      <legend>{t("settings.ips")}</legend>
      <p className="dim">{t("settings.ipsHelp")}</p>
      {ips.map((one, index) => (
        <div key={index} className={classes.address}>
          <TextInput
            aria-label={t("settings.ip", { number: index + 1 })}
            className="mono"
            disabled={disabled}
            value={one.ip}
            onChange={(event) =>
              change(index, { ip: event.currentTarget.value.trim(), family: familyOf(event.currentTarget.value) })
            }
          />
          <Select
            aria-label={t("settings.ipRole", { number: index + 1 })}
            data={roles.map((value) => ({ value, label: t(`ipRole.${value}`) }))}
            allowDeselect={false}
            disabled={disabled}
            value={one.role}
            onChange={(role) => role && change(index, { role: role as Role })}
          />
          {!disabled && (
            <Action kind="ghost" iconOnly icon={IconX} onClick={() => onChange(ips.filter((_, at) => at !== index))}>
              {t("settings.ipRemove", { number: index + 1 })}
            </Action>
          )}
        </div>
      ))}
      {error && <p className={classes.wrong}>{error}</p>}
      {!disabled && (
        <Action icon={IconPlus} onClick={() => onChange([...ips, { ip: "", family: 4, role: "inbound" }])}>
          {t("settings.ipAdd")}
        </Action>
      )}
    </fieldset>
  );
}
