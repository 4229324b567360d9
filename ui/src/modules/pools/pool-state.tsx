import { useTranslation } from "react-i18next";
import { Status } from "@/components/status/status";
import type { GlyphKind } from "@/components/status/glyph";
import type { Member, Summary } from "./api";

const glyphs: Record<Summary["state"] | Member["state"], GlyphKind> = {
  unused: "never",
  unknown: "no-data",
  healthy: "healthy",
  degraded: "degraded",
  down: "down",
};

/** How a pool is: with shape and word. */
export function PoolState({ state, inTable = false }: { state: Summary["state"]; inTable?: boolean }) {
  const { t } = useTranslation("pools");
  return (
    <Status kind={glyphs[state]} inTable={inTable}>
      {t(`state.${state}`)}
    </Status>
  );
}

/** How a member is, from what all sending nodes say. */
export function MemberState({ member }: { member: Member }) {
  const { t } = useTranslation("pools");
  return (
    <Status kind={glyphs[member.state]} inTable>
      {t(`member.${member.state}`)}
    </Status>
  );
}
