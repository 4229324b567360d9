import { Menu, MultiSelect, Select, TagsInput, TextInput } from "@mantine/core";
import {
  IconArrowDown,
  IconArrowRight,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconPlus,
  IconTrash,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Action } from "@/components/action/action";
import { Glyph } from "@/components/status/glyph";
import {
  connectionFault,
  findBlock,
  isEverything,
  isUnwritten,
  matchLine,
  needsServer,
  waysFrom,
  type Way,
} from "../../drawing/drawing";
import { connect, moveWay, removeEdge, setEdgeField, splitValues } from "../../drawing/drawing-edits";
import { GeoField } from "../../shared/geo-field";
import { SetSelect } from "../../shared/set-select";
import { useBlockName, useDrawing, useEditor } from "../editor-context";
import { useFieldProblem } from "./field";
import classes from "./form.module.css";
import { problemsOfEdge } from "../problems/problems";

/** The ways out of a block in the order in which they are tried; the chosen one is open. */
export function WaysForm({ blockKey }: { blockKey: string }) {
  const { t } = useTranslation("flows");
  const { closed } = useEditor();
  const ways = waysFrom(useDrawing(), blockKey);
  return (
    <div className={classes.ways}>
      {ways.length === 0 && <p className={classes.help}>{t("ways.none")}</p>}
      {ways.map((way, position) => (
        <WayRow key={way.index} way={way} position={position} last={position === ways.length - 1} blockKey={blockKey} />
      ))}
      {closed === undefined && <AddWay blockKey={blockKey} first={ways.length === 0} />}
    </div>
  );
}

function WayRow({ way, position, last, blockKey }: { way: Way; position: number; last: boolean; blockKey: string }) {
  const { t } = useTranslation("flows");
  const { store, closed, problems } = useEditor();
  const nameOf = useBlockName();
  const drawing = useDrawing();
  const open = useStore(store, (state) => state.chosen.edge === way.index);
  const wrong = problemsOfEdge(problems, way.index).some((problem) => problem.severity === "error");
  const rest = isEverything(way.edge.match);
  const name = useWayName()(way);
  const edit = store.getState().edit;
  const toggle = () =>
    store.getState().choose({ ...store.getState().chosen, blocks: [blockKey], edge: open ? undefined : way.index });
  return (
    <div className={classes.way} data-open={open || undefined}>
      <div className={classes.wayHead}>
        <span className={`${classes.wayNumber} num`}>{position + 1}</span>
        <button type="button" className={classes.wayName} onClick={toggle} aria-expanded={open}>
          <span>{name}</span>
          <IconArrowRight size={13} stroke={1.6} aria-hidden />
          <span className={classes.wayTo}>{nameOf(findBlock(drawing, way.edge.to))}</span>
          {wrong && <Glyph kind="down" label={t("problems.has")} />}
        </button>
        {closed === undefined && (
          <span className={classes.wayActs}>
            {!rest && (
              <>
                <Action
                  kind="ghost"
                  size="bar"
                  iconOnly
                  icon={IconArrowUp}
                  onClick={() => edit((now) => moveWay(now, way.index, -1))}
                  reason={position === 0 ? t("ways.isFirst") : undefined}
                >
                  {t("ways.up", { name })}
                </Action>
                <Action
                  kind="ghost"
                  size="bar"
                  iconOnly
                  icon={IconArrowDown}
                  onClick={() => edit((now) => moveWay(now, way.index, 1))}
                  reason={last ? t("ways.isLast") : undefined}
                >
                  {t("ways.down", { name })}
                </Action>
              </>
            )}
            <Action
              kind="ghost"
              size="bar"
              iconOnly
              icon={IconTrash}
              onClick={() => edit((now) => removeEdge(now, way.index))}
            >
              {t("ways.remove", { name })}
            </Action>
          </span>
        )}
        {open ? (
          <IconChevronDown size={14} stroke={1.6} aria-hidden />
        ) : (
          <IconChevronRight size={14} stroke={1.6} aria-hidden />
        )}
      </div>
      {open && (
        <div className={classes.wayBody}>
          <WayFields way={way} />
        </div>
      )}
    </div>
  );
}

/** Condition and target of one way. */
export function WayFields({ way }: { way: Way }) {
  const { t } = useTranslation("flows");
  const { store, closed } = useEditor();
  const drawing = useDrawing();
  const nameOf = useBlockName();
  const problem = useFieldProblem({ edge: way.index });
  const { edge, index } = way;
  const match = edge.match ?? {};
  const unwritten = isUnwritten(edge) && waysFrom(drawing, edge.from).length > 1;
  const set = (field: string, value: unknown) => store.getState().edit((now) => setEdgeField(now, index, field, value));
  const setList = (field: string) => (values: string[]) => {
    const meant = splitValues(values);
    set(`match.${field}`, meant.length === 0 ? undefined : meant);
  };
  const shared = (field: string) => ({ "data-field": field, error: problem(field), disabled: closed !== undefined });
  const listed = (field: "domain" | "geosite" | "geoip" | "ip", placeholder: string) => ({
    label: t(`match.${field}`),
    placeholder: (match[field] ?? []).length === 0 ? placeholder : undefined,
    value: match[field] ?? [],
    onChange: setList(field),
    ...shared(`match.${field}`),
  });
  const targets = drawing.nodes.filter(
    (block) =>
      block.key === edge.to ||
      connectionFault(drawing, edge.from, block.key) === undefined ||
      connectionFault(drawing, edge.from, block.key) === "exists",
  );
  const [from, to] = [findBlock(drawing, edge.from), findBlock(drawing, edge.to)];
  const betweenServers =
    from && to && (to.kind === "transit_pool" || (needsServer(to.kind) && from.node_id !== to.node_id));
  return (
    <>
      <Select
        className={classes.wide}
        label={t("ways.to")}
        data={targets.map((block) => ({ value: block.key, label: nameOf(block) }))}
        value={edge.to}
        onChange={(value) => value && set("to", value)}
        {...shared("to")}
      />
      {problem("match") && (
        <p className={classes.error} data-field="match">
          {problem("match")}
        </p>
      )}
      {isEverything(edge.match) && (
        <p className={classes.help}>{t(unwritten ? "ways.unwrittenHelp" : "ways.everythingHelp")}</p>
      )}
      <TagsInput splitChars={[",", " "]} {...listed("domain", "example.org")} />
      <GeoField file="geosite" {...listed("geosite", "category-ads")} />
      <GeoField file="geoip" {...listed("geoip", "ru")} />
      <TagsInput splitChars={[",", " "]} {...listed("ip", "10.0.0.0/8")} />
      <TextInput
        label={t("match.port")}
        placeholder="80,443,1000-2000"
        value={match.port ?? ""}
        onChange={(event) => set("match.port", event.currentTarget.value.replace(/\s/g, ""))}
        {...shared("match.port")}
      />
      <MultiSelect
        label={t("match.protocol")}
        placeholder={(match.protocol ?? []).length === 0 ? t("match.any") : undefined}
        data={["http", "tls", "quic", "bittorrent"]}
        value={match.protocol ?? []}
        onChange={setList("protocol")}
        {...shared("match.protocol")}
      />
      <SetSelect
        label={t("match.sets")}
        value={match.sets ?? []}
        onChange={setList("sets")}
        {...shared("match.sets")}
      />
      {betweenServers && (
        <Select
          label={t("ways.transport")}
          data={[
            { value: "raw", label: "RAW" },
            { value: "xhttp", label: "XHTTP" },
            { value: "grpc", label: "gRPC" },
          ]}
          value={edge.transport ?? "raw"}
          onChange={(value) => set("transport", value === "raw" ? undefined : value)}
          {...shared("transport")}
        />
      )}
    </>
  );
}

/** Adds a way to a block that can be reached from here, chosen by name: the keyboard's form of drawing a line. */
export function AddWay({ blockKey, first }: { blockKey: string; first: boolean }) {
  const { t } = useTranslation("flows");
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Action kind="link" icon={IconPlus}>
          {t(first ? "ways.connect" : "ways.add")}
        </Action>
      </Menu.Target>
      <Menu.Dropdown>
        <ConnectItems blockKey={blockKey} />
      </Menu.Dropdown>
    </Menu>
  );
}

export function ConnectItems({ blockKey }: { blockKey: string }) {
  const { t } = useTranslation("flows");
  const { store } = useEditor();
  const drawing = useDrawing();
  const nameOf = useBlockName();
  const rest = waysFrom(drawing, blockKey).some((way) => isEverything(way.edge.match));
  const open = drawing.nodes.filter((block) => connectionFault(drawing, blockKey, block.key) === undefined);
  const join = (to: string) => {
    store.getState().edit((now) => connect(now, blockKey, to));
    const edges = store.getState().drawing.edges;
    store.getState().choose({ blocks: [blockKey], edge: edges.length - 1, rules: rest });
    if (rest) store.getState().callField("match.domain");
  };
  if (open.length === 0) return <Menu.Label>{t("ways.nowhere")}</Menu.Label>;
  return (
    <>
      <Menu.Label>{t("ways.connect")}</Menu.Label>
      {open.map((block) => (
        <Menu.Item key={block.key} onClick={() => join(block.key)}>
          {nameOf(block)}
        </Menu.Item>
      ))}
    </>
  );
}

/** What a way is called: its condition, or "Everything else". */
export function useWayName(): (way: Way) => string {
  const { t } = useTranslation("flows");
  const drawing = useDrawing();
  return (way) => {
    if (isUnwritten(way.edge) && waysFrom(drawing, way.edge.from).length > 1) return t("ways.unwritten");
    if (!isEverything(way.edge.match)) return matchLine(way.edge.match, (count) => t("match.more", { count }));
    return waysFrom(drawing, way.edge.from).length > 1 ? t("ways.else") : t("ways.everything");
  };
}
