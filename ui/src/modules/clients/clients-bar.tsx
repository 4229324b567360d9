import { Menu } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { SelectionBar, type EveryMatch } from "@/components/table/selection-bar";
import type { ClientAct } from "./acts/effects";
import type { Client } from "./api";

interface ClientsBarProps {
  clients: readonly Client[];
  every: EveryMatch;
  /** Why nothing may be changed. */
  block: string | undefined;
  onAct: (act: ClientAct) => void;
  onClear: () => void;
}

/** What can be done to all selected clients at once. */
export function ClientsBar({ clients, every, block, onAct, onClear }: ClientsBarProps) {
  const { t } = useTranslation("clients");
  const closed = block !== undefined;
  return (
    <SelectionBar count={clients.length} every={every} onClear={onClear}>
      <Action size="bar" reason={block} onClick={() => onAct("extend")}>
        {t("bar.extend")}
      </Action>
      <Action size="bar" reason={block} onClick={() => onAct("disable")}>
        {t("bar.disable")}
      </Action>
      {clients.some(({ enabled }) => !enabled) && (
        <Action size="bar" reason={block} onClick={() => onAct("enable")}>
          {t("bar.enable")}
        </Action>
      )}
      <Menu>
        <Menu.Target>
          <Action size="bar" icon={IconChevronDown}>
            {t("bar.more")}
          </Action>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item disabled={closed} onClick={() => onAct("give_flow")}>
            {t("bar.give")}
          </Menu.Item>
          <Menu.Item disabled={closed} onClick={() => onAct("limits")}>
            {t("bar.limits")}
          </Menu.Item>
          <Menu.Item disabled={closed} onClick={() => onAct("tags")}>
            {t("bar.tags")}
          </Menu.Item>
          <Menu.Item disabled={closed} onClick={() => onAct("reset_traffic")}>
            {t("bar.reset")}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item data-danger disabled={closed} onClick={() => onAct("revoke")}>
            {t("bar.revoke")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </SelectionBar>
  );
}
