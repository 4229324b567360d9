import { Modal, Switch } from "@mantine/core";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { useSingleKeys } from "@/components/keys/single-keys";
import { useLanguage } from "@/text/use-format";
import { navigation } from "../modules";
import classes from "./key-list.module.css";

/** What `?` opens: every key of the shell, and the switch for those without Ctrl. */
export function KeyList({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("app");
  const language = useLanguage();
  const { can } = useAccess();
  const [on, setOn] = useSingleKeys();
  const places = navigation
    .filter((entry) => entry.key && (!entry.needs || can(...entry.needs)))
    .map((entry) => ({ keys: ["g", entry.key!.slice(-1).toLowerCase()], text: entry.label[language] }));
  const rows = [
    { keys: ["Ctrl", "K"], text: t("keys.palette") },
    { keys: ["/"], text: t("keys.search") },
    { keys: ["?"], text: t("keys.list") },
    { keys: ["j", "k"], text: t("keys.rows") },
    { keys: ["x"], text: t("keys.choose") },
    { keys: ["e"], text: t("keys.edit") },
    { keys: ["c"], text: t("keys.create") },
    ...places,
  ];
  return (
    <Modal opened={opened} onClose={onClose} title={t("keys.title")}>
      <dl className={classes.list}>
        {rows.map(({ keys, text }) => (
          <Fragment key={keys.join(" ")}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
      <Switch
        label={t("keys.single")}
        description={t("keys.singleHelp")}
        checked={on}
        onChange={(event) => setOn(event.currentTarget.checked)}
      />
    </Modal>
  );
}
