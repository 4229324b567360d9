import { Menu } from "@mantine/core";
import { IconDownload, IconPencil, IconPin, IconPinnedOff } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { RowMenu } from "@/components/action/row-menu";
import { toastProblem } from "@/components/state/toast";
import { useFormat } from "@/text/use-format";
import { useEditor } from "../editor/editor-context";
import { versionQuery, type Version } from "../shared/api";
import { BypassMark } from "../shared/flow-states";
import { personName } from "../shared/person-name";
import { useChangeVersion } from "./api";
import { NameVersion } from "./name-version";
import { saveDrawing } from "./save-drawing";
import classes from "./versions.module.css";

interface VersionRowProps {
  version: Version;
  side: "A" | "B" | undefined;
  onPick: () => void;
  onB: () => void;
}

/** One version in the time line: what it is called, who made it when, and what can be done with it. */
export function VersionRow({ version, side, onPick, onB }: VersionRowProps) {
  const { t } = useTranslation("flows");
  const format = useFormat();
  const who = personName(version.created_by);
  return (
    <li className={classes.row} data-side={side}>
      <button
        type="button"
        className={classes.pick}
        aria-pressed={side !== undefined}
        onClick={(event) => (event.shiftKey ? onB() : onPick())}
      >
        <span
          className={classes.mark}
          data-installed={version.installed || undefined}
          data-applied={version.applied || undefined}
          aria-hidden
        />
        <span className={classes.words}>
          <span className={classes.line}>
            <b>v{version.number}</b>
            {version.installed && <span className={classes.installed}>{t("versions.installed")}</span>}
            {version.pinned && (
              <IconPin size={14} stroke={1.6} className={classes.pin} role="img" aria-label={t("versions.isPinned")} />
            )}
            <span className={`soft ${classes.note}`}>{version.note || t(`versions.reason.${version.reason}`)}</span>
          </span>
          <span className={classes.meta}>
            {t("versions.when", { moment: format.moment(version.created_at) })}
            {who && ` ${t("by", { who })}`}
            <BypassMark checks={version.bypassed_checks} words />
          </span>
        </span>
        <Side side={side} />
      </button>
      <VersionActs version={version} />
    </li>
  );
}

function VersionActs({ version }: { version: Version }) {
  const { t } = useTranslation("flows");
  const { flow, closed } = useEditor();
  const queries = useQueryClient();
  const change = useChangeVersion(flow.id);
  const [naming, setNaming] = useState(false);
  const name = `v${version.number}`;
  const download = () =>
    queries.fetchQuery(versionQuery(flow.id, version.id)).then(
      ({ graph }) => saveDrawing(flow.name, name, graph),
      (error: unknown) => toastProblem(t("versions.downloadFailed"), error),
    );
  const pin = () =>
    change.mutate(
      { id: version.id, pinned: !version.pinned },
      { onError: (error) => toastProblem(t("versions.changeFailed", { name }), error) },
    );
  const Pin = version.pinned ? IconPinnedOff : IconPin;
  return (
    <>
      <RowMenu name={name}>
        <Menu.Item
          leftSection={<IconPencil size={15} stroke={1.6} aria-hidden />}
          disabled={closed !== undefined}
          onClick={() => setNaming(true)}
        >
          {t("versions.rename")}
        </Menu.Item>
        <Menu.Item
          leftSection={<Pin size={15} stroke={1.6} aria-hidden />}
          disabled={closed !== undefined}
          onClick={pin}
        >
          {t(version.pinned ? "versions.unpin" : "versions.pin")}
        </Menu.Item>
        <Menu.Item leftSection={<IconDownload size={15} stroke={1.6} aria-hidden />} onClick={() => void download()}>
          {t("versions.download")}
        </Menu.Item>
      </RowMenu>
      {naming && (
        <NameVersion
          title={t("versions.nameOf", { name })}
          note={version.note}
          onClose={() => setNaming(false)}
          onSave={(note) => change.mutateAsync({ id: version.id, note })}
        />
      )}
    </>
  );
}

export function Side({ side }: { side: "A" | "B" | undefined }) {
  return side ? <span className={classes.letter}>{side}</span> : <span className={classes.circle} aria-hidden />;
}
