import { Menu } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconArrowDown, IconArrowUp, IconEyeOff, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { RowMenu } from "@/components/action/row-menu";
import { Card } from "@/components/layout/card";
import { EmptyState } from "@/components/state/states";
import { barsQuery, type Bar, type Component, type Group } from "../api";
import { localText } from "../shared/localised";
import { ComponentStatus } from "../shared/states";
import classes from "../statuspage.module.css";
import { BarStrip } from "./bar-strip";
import { ComponentDialog } from "./component-dialog";
import { languagesOf, moved, newComponent, newGroup, type CardProps } from "./draft";
import { GroupDialog } from "./group-dialog";

/** What readers see the state of, in groups and in order. */
export function ComponentsCard({ draft, set, block, wrong, pageId }: CardProps & { pageId: string }) {
  const { t } = useTranslation("statuspage");
  const [component, setComponent] = useState<Component>();
  const [group, setGroup] = useState<Group>();
  const bars = useQuery(barsQuery(pageId)).data ?? [];
  const { groups, components } = draft;
  const locales = languagesOf(draft);
  const put = (one: Component) =>
    set({
      components: components.some(({ id }) => id === one.id)
        ? components.map((other) => (other.id === one.id ? one : other))
        : [...components, one],
    });
  const putGroup = (one: Group) =>
    set({
      groups: groups.some(({ id }) => id === one.id)
        ? groups.map((other) => (other.id === one.id ? one : other))
        : [...groups, one],
    });
  const section = (of: Group | undefined) => (
    <Section
      key={of?.id ?? "none"}
      group={of}
      components={components.filter(({ group_id: id }) => id === (of?.id ?? ""))}
      locale={locales[0]!}
      bars={bars}
      block={block}
      onAdd={() => setComponent(newComponent(of?.id ?? ""))}
      onEdit={setComponent}
      onMove={(one, step) =>
        set({ components: moved(components, one, step, (other) => other.group_id === one.group_id) })
      }
      onRemove={(one) => set({ components: components.filter((other) => other !== one) })}
      onEditGroup={setGroup}
      onMoveGroup={(step) => of && set({ groups: moved(groups, of, step, () => true) })}
      onRemoveGroup={() =>
        of &&
        set({
          groups: groups.filter((other) => other !== of),
          components: components.map((one) => (one.group_id === of.id ? { ...one, group_id: "" } : one)),
        })
      }
    />
  );
  const refused = Object.entries(wrong).filter(([path]) => /^(components|groups)\b/.test(path));
  return (
    <Card
      title={t("components.title")}
      aside={t("components.help")}
      right={
        <Action size="bar" icon={IconPlus} reason={block} onClick={() => setGroup(newGroup())}>
          {t("components.addGroup")}
        </Action>
      }
    >
      <div className={classes.stack}>
        {refused.map(([path, text]) => (
          <p key={path} className={classes.bad} role="alert">
            {text}
          </p>
        ))}
        {components.length === 0 && groups.length === 0 && (
          <EmptyState title={t("components.none")}>{t("components.noneText")}</EmptyState>
        )}
        {section(undefined)}
        {groups.map(section)}
      </div>
      {component && (
        <ComponentDialog
          component={component}
          groups={groups}
          locales={locales}
          onClose={() => setComponent(undefined)}
          onDone={put}
        />
      )}
      {group && <GroupDialog group={group} locales={locales} onClose={() => setGroup(undefined)} onDone={putGroup} />}
    </Card>
  );
}

interface SectionProps {
  group: Group | undefined;
  components: Component[];
  locale: string;
  bars: Bar[];
  block: string | undefined;
  onAdd: () => void;
  onEdit: (one: Component) => void;
  onMove: (one: Component, step: -1 | 1) => void;
  onRemove: (one: Component) => void;
  onEditGroup: (group: Group) => void;
  onMoveGroup: (step: -1 | 1) => void;
  onRemoveGroup: () => void;
}

/** The components of one group, or those of none. */
function Section({ group, components, locale, bars, block, ...act }: SectionProps) {
  const { t } = useTranslation("statuspage");
  const name = group && localText(group.names, locale);
  return (
    <section className={classes.section} aria-label={name ?? t("components.ungrouped")}>
      {group && (
        <div className={classes.groupHead}>
          <h3 className={classes.groupName}>{name}</h3>
          <RowMenu name={name!}>
            <Menu.Item disabled={block !== undefined} onClick={() => act.onEditGroup(group)}>
              {t("components.rename")}
            </Menu.Item>
            <Menu.Item disabled={block !== undefined} onClick={() => act.onMoveGroup(-1)}>
              {t("components.up")}
            </Menu.Item>
            <Menu.Item disabled={block !== undefined} onClick={() => act.onMoveGroup(1)}>
              {t("components.down")}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item color="red" disabled={block !== undefined} onClick={act.onRemoveGroup}>
              {t("components.removeGroup")}
            </Menu.Item>
          </RowMenu>
        </div>
      )}
      <ul className={classes.components}>
        {components.map((one, at) => (
          <Row
            key={one.id}
            component={one}
            name={localText(one.names, locale) || t("components.noName")}
            bar={bars.find(({ component_id: id }) => id === one.id)}
            block={block}
            first={at === 0}
            last={at === components.length - 1}
            onEdit={() => act.onEdit(one)}
            onMove={(step) => act.onMove(one, step)}
            onRemove={() => act.onRemove(one)}
          />
        ))}
      </ul>
      <div>
        <Action kind="ghost" icon={IconPlus} reason={block} onClick={act.onAdd}>
          {group ? t("components.addTo", { name }) : t("components.add")}
        </Action>
      </div>
    </section>
  );
}

interface RowProps {
  component: Component;
  name: string;
  bar: Bar | undefined;
  block: string | undefined;
  first: boolean;
  last: boolean;
  onEdit: () => void;
  onMove: (step: -1 | 1) => void;
  onRemove: () => void;
}

function Row({ component, name, bar, block, first, last, onEdit, onMove, onRemove }: RowProps) {
  const { t } = useTranslation("statuspage");
  const end = t("components.atTheEnd");
  return (
    <li className={classes.component}>
      <div className={classes.componentWords}>
        <span className={classes.componentName}>
          <button type="button" className={classes.linkish} onClick={onEdit}>
            {name}
          </button>
          {!component.visible && (
            <span className="soft" title={t("components.hidden")}>
              <IconEyeOff size={14} stroke={1.6} aria-label={t("components.hidden")} />
            </span>
          )}
        </span>
        <span className={classes.second}>
          <SourceWords component={component} />
        </span>
      </div>
      <div className={classes.componentState}>
        <ComponentStatus state={component.source === "manual" ? component.manual_status : component.status} inTable />
        {component.show_bars && bar && <BarStrip bar={bar} name={name} />}
      </div>
      <div className={classes.componentActs}>
        <Action
          kind="ghost"
          size="bar"
          iconOnly
          icon={IconArrowUp}
          reason={block ?? (first ? end : undefined)}
          onClick={() => onMove(-1)}
        >
          {t("components.upNamed", { name })}
        </Action>
        <Action
          kind="ghost"
          size="bar"
          iconOnly
          icon={IconArrowDown}
          reason={block ?? (last ? end : undefined)}
          onClick={() => onMove(1)}
        >
          {t("components.downNamed", { name })}
        </Action>
        <RowMenu name={name}>
          <Menu.Item disabled={block !== undefined} onClick={onEdit}>
            {t("components.change")}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" disabled={block !== undefined} onClick={onRemove}>
            {t("components.remove")}
          </Menu.Item>
        </RowMenu>
      </div>
    </li>
  );
}

/** What a component stands for: only people who edit the page see it. */
function SourceWords({ component: { source, source_id, source_name } }: { component: Component }) {
  const { t } = useTranslation("statuspage");
  if (source === "manual") return <>{t("source.manual")}</>;
  if (source === "region") return <>{t("source.of", { kind: t("source.region"), name: source_id })}</>;
  if (source_name === "")
    return <span className={classes.bad}>{t("source.gone", { kind: t(`source.${source}`) })}</span>;
  return (
    <>{source_name ? t("source.of", { kind: t(`source.${source}`), name: source_name }) : t(`source.${source}`)}</>
  );
}
