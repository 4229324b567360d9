import { Menu } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { WhenOpened } from "@/components/dialog/when-opened";
import { SelectionBar, type EveryMatch } from "@/components/table/selection-bar";
import type { BulkRequest } from "../shared/api";
import { TagsDialog } from "./tags-dialog";
import type { Node } from "../shared/types";

interface NodesBarProps {
  nodes: Node[];
  every?: EveryMatch;
  onAct: (nodes: Node[], request: BulkRequest) => void;
  onClear: () => void;
}

/** What can be done to all selected nodes at once; ends of a state are offered where a node is in it. */
export function NodesBar({ nodes, every, onAct, onClear }: NodesBarProps) {
  const { t } = useTranslation("nodes");
  const [tagging, setTagging] = useState(false);
  const act = (request: BulkRequest) => onAct(nodes, request);
  const some = (state: Node["state"]) => nodes.some((node) => node.state === state);
  return (
    <>
      <SelectionBar count={nodes.length} every={every} onClear={onClear}>
        <Action size="bar" onClick={() => act({ act: "restart_core" })}>
          {t("acts.restart")}
        </Action>
        <Action size="bar" onClick={() => act({ act: "maintenance_on" })}>
          {t("acts.maintain")}
        </Action>
        {some("maintenance") && (
          <Action size="bar" onClick={() => act({ act: "maintenance_off" })}>
            {t("acts.endMaintenance")}
          </Action>
        )}
        <Action size="bar" onClick={() => setTagging(true)}>
          {t("acts.tags")}
        </Action>
        <Menu>
          <Menu.Target>
            <Action size="bar" icon={IconChevronDown}>
              {t("acts.more")}
            </Action>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => act({ act: "update_agent" })}>{t("acts.updateAgent")}</Menu.Item>
            <Menu.Divider />
            <Menu.Item onClick={() => act({ act: "disable" })}>{t("acts.disable")}</Menu.Item>
            {some("disabled") && <Menu.Item onClick={() => act({ act: "enable" })}>{t("acts.enable")}</Menu.Item>}
            <Menu.Divider />
            <Menu.Item data-danger onClick={() => act({ act: "delete" })}>
              {t("acts.delete")}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </SelectionBar>
      <WhenOpened opened={tagging}>
        {(opened) => (
          <TagsDialog
            nodes={nodes}
            opened={opened}
            onClose={() => setTagging(false)}
            onChange={(change) => act({ act: "tags", ...change })}
          />
        )}
      </WhenOpened>
    </>
  );
}
