import { TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { ProblemNote } from "@/components/state/problem-view";
import classes from "../backups.module.css";
import { useAskHostKey } from "../shared/api";
import { destinationFieldId, type DestinationDraft } from "./destination-draft";

interface HostKeyProps {
  draft: DestinationDraft;
  set: (next: Partial<DestinationDraft>) => void;
  error: string | undefined;
  block: string | undefined;
}

/**
 * The key by which an SSH server is known again. The panel shows the one that the server has now with its fingerprint;
 * a person compares it and keeps it.
 */
export function HostKeyField({ draft, set, error, block }: HostKeyProps) {
  const { t } = useTranslation("backups");
  const ask = useAskHostKey();
  const host = draft.host.trim();
  const look = () => ask.mutate({ host, ...(Number(draft.port) > 0 && { port: Number(draft.port) }) });
  const shown = ask.data;
  const kept = shown !== undefined && shown.host_key === draft.hostKey.trim();
  return (
    <div className={classes.hostKey}>
      <TextInput
        id={destinationFieldId(draft.key, "hostKey")}
        label={t("sftp.hostKey")}
        description={t("sftp.hostKeyHelp")}
        placeholder="ssh-ed25519 AAAA…"
        value={draft.hostKey}
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: "mono" }}
        onChange={(event) => set({ hostKey: event.currentTarget.value })}
        error={error}
        disabled={block !== undefined}
      />
      <div>
        <Action
          icon={IconFingerprint}
          onClick={look}
          busy={ask.isPending}
          reason={block ?? (host ? undefined : t("sftp.hostFirst"))}
        >
          {t("sftp.ask")}
        </Action>
      </div>
      {ask.error !== null && <ProblemNote error={ask.error} />}
      {shown && (
        <div className={classes.shownKey} role="status">
          <p className="strong">{kept ? t("sftp.kept") : t("sftp.shows", { host })}</p>
          <p className="mono">{shown.fingerprint}</p>
          {!kept && (
            <>
              <p className="soft">{t("sftp.compare")}</p>
              <div>
                <Action onClick={() => set({ hostKey: shown.host_key })}>{t("sftp.keep")}</Action>
              </div>
            </>
          )}
        </div>
      )}
    </div>
  );
}
