import { useWriteBlock } from "@/api/access";

/** Why changes are closed, for all writing acts of the module. */
export function useBlock(): string | undefined {
  return useWriteBlock({ needs: "backups.manage", feature: "backups" });
}

/** Why a download is closed: it only reads, so that it is open without a license, too. */
export function useDownloadBlock(): string | undefined {
  return useWriteBlock({ needs: "backups.manage", whileReadOnly: true });
}
