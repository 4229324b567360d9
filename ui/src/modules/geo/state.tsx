import { useTranslation } from "react-i18next";
import type { GlyphKind } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import type { Asset, AssetState, HeldAsset, HoldingNode } from "./api";

const glyphs: Record<AssetState, GlyphKind> = {
  idle: "never",
  downloading: "applying",
  checking: "applying",
  ready: "draft",
  distributing: "applying",
  current: "in-sync",
  rejected: "drifted",
  failed: "failed",
};

/** How a file stands: what was tried last, and whether nodes get it. */
export function AssetStatus({ asset: { state }, inTable }: { asset: Pick<Asset, "state">; inTable?: boolean }) {
  const { t } = useTranslation("geo");
  return (
    <Status kind={glyphs[state]} inTable={inTable}>
      {t(`state.${state}`)}
    </Status>
  );
}

const held: Record<HoldingNode["state"], GlyphKind> = {
  current: "in-sync",
  waiting: "applying",
  failed: "failed",
  offline: "no-data",
  not_supported: "skipped",
};

/** Whether a node has the version that it shall have. */
export function HeldStatus({ state, inTable }: { state: HeldAsset["state"]; inTable?: boolean }) {
  const { t } = useTranslation("geo");
  return (
    <Status kind={held[state]} inTable={inTable}>
      {t(`held.${state}`)}
    </Status>
  );
}

/** The first digits of a digest: enough to tell versions apart. */
export const shortDigest = (sha256: string) => sha256.slice(0, 12);
