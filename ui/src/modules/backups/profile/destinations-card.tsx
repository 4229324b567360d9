import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Segmented } from "@/components/form/segmented";
import { Card } from "@/components/layout/card";
import type { DestinationKind } from "../shared/api";
import classes from "../backups.module.css";
import { destinationDraft, destinationFieldId, destinationKinds, type DestinationDraft } from "./destination-draft";
import { LocalFields, MessengerFields, S3Fields, SftpFields, type DestinationProps } from "./destination-fields";
import type { FormErrors } from "./form-errors";

const most = 8;
const fieldsOf = { local: LocalFields, s3: S3Fields, sftp: SftpFields, messenger: MessengerFields };

interface CardProps {
  list: DestinationDraft[];
  onChange: (list: DestinationDraft[]) => void;
  errors: FormErrors;
  block: string | undefined;
}

/** Where each backup goes: every destination gets the whole of it. */
export function DestinationsCard({ list, onChange, errors, block }: CardProps) {
  const { t } = useTranslation("backups");
  const change = (key: string, next: Partial<DestinationDraft>) =>
    onChange(list.map((one) => (one.key === key ? { ...one, ...next } : one)));
  return (
    <Card title={t("profile.destinations")} aside={t("profile.destinationsText")}>
      <div className={classes.fields}>
        {list.map((draft, at) => (
          <One
            key={draft.key}
            number={at + 1}
            draft={draft}
            set={(next) => change(draft.key, next)}
            errorOf={(field) => errors.ofDestination(draft.key, field)}
            block={block}
            onRemove={list.length > 1 ? () => onChange(list.filter(({ key }) => key !== draft.key)) : undefined}
          />
        ))}
        <div>
          <Action
            icon={IconPlus}
            onClick={() => onChange([...list, { ...destinationDraft(), kind: "s3" }])}
            reason={block ?? (list.length < most ? undefined : t("profile.mostDestinations"))}
          >
            {t("profile.addDestination")}
          </Action>
        </div>
      </div>
    </Card>
  );
}

function One({
  number,
  onRemove,
  ...props
}: DestinationProps & { number: number; onRemove: (() => void) | undefined }) {
  const { t } = useTranslation("backups");
  const { draft, set, errorOf, block } = props;
  const Fields = fieldsOf[draft.kind];
  const name = t("profile.destination", { number });
  const wrongKind = errorOf("kind");
  return (
    <fieldset className={classes.destination} id={destinationFieldId(draft.key, "kind")} tabIndex={-1}>
      <legend className="visually-hidden">{name}</legend>
      <div className={classes.destinationHead}>
        <span className="strong" aria-hidden>
          {name}
        </span>
        {draft.id ? (
          <span className="soft">{t(`kind.${draft.kind}`)}</span>
        ) : (
          <Segmented<DestinationKind>
            label={t("profile.kindOf", { name })}
            value={draft.kind}
            onChange={(kind) => set({ kind })}
            options={destinationKinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
          />
        )}
        {onRemove && (
          <Action kind="ghost" size="bar" icon={IconTrash} onClick={onRemove} reason={block} iconOnly>
            {t("profile.removeDestination", { number })}
          </Action>
        )}
      </div>
      {wrongKind && (
        <p className={classes.wrong} role="alert">
          {wrongKind}
        </p>
      )}
      <Fields {...props} />
    </fieldset>
  );
}
