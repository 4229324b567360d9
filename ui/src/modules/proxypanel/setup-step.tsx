import { IconArrowLeft } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { DialogBody } from "@/components/dialog/dialog-form";
import { Segmented } from "@/components/form/segmented";
import { SetupBody, SetupFoot } from "@/components/layout/setup-frame";
import { Status } from "@/components/status/status";
import type { SetupStepProps } from "@/module";
import type { Connection } from "./api";
import { glyphs } from "./causes";
import { ConnectionFacts } from "./connection-facts";
import { ConnectionForm } from "./connection-form";
import { FreshPanel } from "./fresh/fresh-panel";
import classes from "./proxypanel.module.css";
import { Trouble } from "./trouble";

type Kind = "running" | "fresh";

/** The proxy panel of the first installation: one that runs, a fresh one, or none for now. */
export default function ProxypanelSetupStep({ onDone, onBack }: SetupStepProps) {
  const { t } = useTranslation("proxypanel");
  const [kind, setKind] = useState<Kind>("running");
  const [found, setFound] = useState<Connection>();
  const [shown, setShown] = useState(false);
  const block = useWriteBlock({ needs: "proxypanel.manage", feature: "proxypanel" });
  const foot = (act: ReactNode) => (
    <Foot onBack={onBack} onSkip={shown || found ? undefined : () => onDone(t("setup.skipped"), true)}>
      {act}
    </Foot>
  );
  return (
    <SetupBody title={t("title")} lead={t("setup.lead")}>
      {!found && !shown && (
        <div className={classes.kinds}>
          <Segmented<Kind>
            label={t("setup.kind")}
            value={kind}
            onChange={setKind}
            options={[
              { value: "running", label: t("setup.running") },
              { value: "fresh", label: t("setup.fresh") },
            ]}
          />
        </div>
      )}
      {kind === "fresh" ? (
        <FreshPanel
          onDone={({ connection }) => onDone(connection.label)}
          onShown={setShown}
          doneWord={t("setup.continue")}
          foot={foot}
        />
      ) : found ? (
        <Found connection={found} onDone={() => onDone(found.label)} foot={foot} />
      ) : (
        <ConnectionForm onSaved={setFound} reason={block} foot={foot} />
      )}
    </SetupBody>
  );
}

interface FoundProps {
  connection: Connection;
  onDone: () => void;
  foot: (act: ReactNode) => ReactNode;
}

/** What the panel found when it asked the other one. It is kept in any case and can be changed later. */
function Found({ connection, onDone, foot }: FoundProps) {
  const { t } = useTranslation("proxypanel");
  const { label, state, cause } = connection;
  return (
    <DialogBody>
      <div className={classes.found} role="status">
        <span className="strong">{t("connected", { label })}</span>
        <Status kind={glyphs[state]}>{t(`state.${state}`)}</Status>
      </div>
      <Trouble connection={connection} />
      <ConnectionFacts connection={connection} />
      {cause !== "" && <p className="dim">{t("setup.later")}</p>}
      {foot(
        <Action size="dialog" kind="filled" onClick={onDone}>
          {t("setup.continue")}
        </Action>,
      )}
    </DialogBody>
  );
}

interface FootProps {
  onBack: (() => void) | undefined;
  onSkip: (() => void) | undefined;
  children: ReactNode;
}

function Foot({ onBack, onSkip, children }: FootProps) {
  const { t } = useTranslation("proxypanel");
  return (
    <SetupFoot
      back={
        onBack && (
          <Action kind="ghost" size="dialog" icon={IconArrowLeft} onClick={onBack}>
            {t("setup.back")}
          </Action>
        )
      }
    >
      {onSkip && (
        <Action size="dialog" onClick={onSkip}>
          {t("setup.skip")}
        </Action>
      )}
      {children}
    </SetupFoot>
  );
}
