import { Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { useFormat } from "@/text/use-format";
import type { ExportFormat } from "./api";

export function ExportMenu({
  total,
  busy,
  onExport,
}: {
  total: number;
  busy: boolean;
  onExport: (format: ExportFormat) => void;
}) {
  const { t } = useTranslation("audit");
  const format = useFormat();
  return (
    <Menu>
      <Menu.Target>
        <Action icon={IconDownload} busy={busy}>
          {t("export.act")}
        </Action>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("export.what", { count: total, total: format.number(total) })}</Menu.Label>
        <Menu.Item onClick={() => onExport("csv")}>{t("export.csv")}</Menu.Item>
        <Menu.Item onClick={() => onExport("ndjson")}>{t("export.ndjson")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
