import "@xyflow/react/dist/base.css";
import {
  Background,
  BackgroundVariant,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useViewport,
  type Connection,
  type EdgeChange,
  type NodeChange,
} from "@xyflow/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { CanvasTools } from "./canvas-tools";
import { chosenAmong, linesOf, ownerOf, rulesId, shapesOf, type CanvasShape, type WayLine } from "./canvas-model";
import classes from "./canvas.module.css";
import { connectionFault, hasRules, waysFrom, type Drawing, type Position } from "../../drawing/drawing";
import { connect, place, setEdgeField, snap } from "../../drawing/drawing-edits";
import { useDrawing, useEditor } from "../editor-context";
import { EmptyDrawing } from "../empty-drawing";
import {
  blockWidth,
  columnOf,
  headHeight,
  positionsOf,
  rulesHeight,
  rulesPosition,
  type Column,
} from "../../drawing/layout";
import { routesOf } from "../../drawing/routes";
import { busiest, lineWidth } from "../../shared/loads";
import { useWayLoads } from "../use-way-loads";
import { BlockNode, RulesNode, useShapeLabel } from "./shapes";
import { useCanvasKeys } from "./use-canvas-keys";
import { WayEdge } from "./way-line";

const nodeTypes = { block: BlockNode, rules: RulesNode };
const edgeTypes = { way: WayEdge };
const manyBlocks = 15;
/** Width of the pane up to which its style sheet breaks the line of tools. */
const narrow = 720;

/** The drawing as a graph. On a phone it is looked at only; the outline does everything. */
export default function Canvas({ viewOnly }: { viewOnly: boolean }) {
  return (
    <ReactFlowProvider>
      <CanvasBody viewOnly={viewOnly} />
    </ReactFlowProvider>
  );
}

function CanvasBody({ viewOnly }: { viewOnly: boolean }) {
  const { t } = useTranslation("flows");
  const { store, closed } = useEditor();
  const drawing = useDrawing();
  const chosen = useStore(store, (state) => state.chosen);
  const [dragged, setDragged] = useState<Record<string, Position>>({});
  const editable = !viewOnly && closed === undefined;
  const label = useShapeLabel();
  const shapes = useMemo(
    () =>
      shapesOf(drawing, dragged, editable).map((shape) => ({
        ...shape,
        ariaLabel: label(ownerOf(shape.id), shape.type === "rules"),
      })),
    [drawing, dragged, editable, label],
  );
  const shown = useMemo(() => chosenAmong(shapes, chosen), [shapes, chosen]);
  const { loads, rate } = useWayLoads();
  const routes = useMemo(() => routesOf(drawing, { ...positionsOf(drawing), ...dragged }), [drawing, dragged]);
  const lines = useMemo(() => {
    const named = busiest(loads, drawing);
    const label = (index: number, lit: boolean) => {
      const carried = lit || named.has(index) ? rate(loads.get(index)) : undefined;
      return [transportWord(drawing, index), carried].filter(Boolean).join(", ") || undefined;
    };
    return linesOf(drawing, chosen, routes, label, (index) => lineWidth(loads.get(index)));
  }, [drawing, chosen, routes, loads, rate]);
  useCanvasKeys(editable);
  const { frame, onMoveEnd } = useFit(drawing.nodes.length);
  const { edit, choose } = store.getState();

  const onNodesChange = (changes: NodeChange<CanvasShape>[]) => {
    const moves = changes.flatMap((change) =>
      change.type === "position" && change.position && !change.id.startsWith("rules:") ? [change] : [],
    );
    if (moves.length === 0) return;
    const moved = Object.fromEntries(moves.map((move) => [move.id, move.position!]));
    if (moves.some((move) => move.dragging)) return setDragged((old) => ({ ...old, ...moved }));
    setDragged({});
    edit((now) => place(now, { ...positionsOf(now), ...dragged, ...moved }));
  };
  const onEdgesChange = (changes: EdgeChange<WayLine>[]) => {
    const picked = changes.find((change) => change.type === "select" && change.selected);
    const edge = picked && "id" in picked ? edgeIndex(picked.id) : undefined;
    if (edge !== undefined) choose({ blocks: [drawing.edges[edge]!.from], edge, rules: true });
  };
  const pick = (id: string, add: boolean) => {
    const key = ownerOf(id);
    // A click on a rule has already chosen it when the click on its block arrives here.
    const now = store.getState().chosen;
    const others = add ? now.blocks.filter((other) => other !== key) : [];
    if (id === rulesId(key) && now.rules && now.blocks.includes(key)) return;
    choose({ blocks: [...others, key], rules: id === rulesId(key) || undefined });
  };
  const valid = (link: Connection | WayLine) => {
    const fault = connectionFault(drawing, ownerOf(link.source), link.target);
    return !link.target.startsWith("rules:") && (fault === undefined || fault === "exists");
  };
  const join = (link: Connection) => {
    edit((now) => connect(now, ownerOf(link.source), link.target));
    const edges = store.getState().drawing.edges;
    if (edges.length > drawing.edges.length && waysFrom(store.getState().drawing, ownerOf(link.source)).length > 1)
      choose({ blocks: [ownerOf(link.source)], edge: edges.length - 1, rules: true });
  };

  return (
    <div ref={frame} className={classes.canvas} data-view-only={viewOnly || undefined}>
      <ReactFlow
        nodes={shown}
        edges={lines}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onNodeClick={(event, node) => pick(node.id, event.shiftKey || event.ctrlKey || event.metaKey)}
        onPaneClick={() => choose({ blocks: [] })}
        onMoveEnd={onMoveEnd}
        onConnect={join}
        onReconnect={(old, link) =>
          old.data?.index !== undefined && edit((now) => setEdgeField(now, old.data!.index!, "to", link.target))
        }
        isValidConnection={valid}
        nodesConnectable={editable}
        edgesReconnectable={editable}
        elementsSelectable
        snapToGrid
        snapGrid={[snap, snap]}
        minZoom={0.3}
        maxZoom={1.6}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        connectionRadius={28}
        proOptions={{ hideAttribution: true }}
        ariaLabelConfig={ariaWords(t)}
        onKeyDownCapture={(event) => {
          const node = (event.target as HTMLElement).closest<HTMLElement>(".react-flow__node");
          if (node && (event.key === "Enter" || event.key === " ")) pick(node.dataset.id!, false);
        }}
      >
        <Background variant={BackgroundVariant.Dots} gap={16} size={1} className={classes.dots} />
        <ColumnNames drawing={drawing} />
        {drawing.nodes.length > manyBlocks && !viewOnly && (
          <MiniMap
            pannable
            zoomable
            className={classes.map}
            nodeClassName={classes.mapNode}
            maskColor="var(--scrim)"
            ariaLabel={t("canvas.map")}
          />
        )}
      </ReactFlow>
      {drawing.nodes.length === 0 && <EmptyDrawing />}
      <CanvasTools editable={editable} />
    </div>
  );
}

function edgeIndex(id: string): number | undefined {
  return id.startsWith("way:") ? Number(id.slice(4)) : undefined;
}

// Only what differs from the usual way between servers is worth a word on the line.
function transportWord(drawing: Drawing, index: number): string | undefined {
  const transport = drawing.edges[index]?.transport;
  return transport && transport !== "raw"
    ? { xhttp: "XHTTP", grpc: "gRPC", ws: "WS", httpupgrade: "HTTPUpgrade" }[transport]
    : undefined;
}

/** Shows the whole drawing, at its own size where it fits, until somebody moves the canvas or chooses something. */
function useFit(blocks: number) {
  const { getViewport, setViewport, fitView } = useReactFlow();
  const { store } = useEditor();
  const frame = useRef<HTMLDivElement>(null);
  const touched = useRef(false);
  const has = blocks > 0;
  useEffect(() => {
    const pane = frame.current;
    if (!pane || !has) return;
    const fit = () => {
      const extent = extentOf(store.getState().drawing);
      // In a narrow pane the tools stand in two lines.
      const foot = pane.clientWidth > narrow ? 66 : 106;
      const fits =
        extent.right + 16 <= pane.clientWidth &&
        extent.bottom + foot + 4 <= pane.clientHeight &&
        extent.left >= 0 &&
        extent.top >= 40;
      if (fits) void setViewport({ x: 0, y: 0, zoom: 1 });
      else void fitView({ padding: { top: "56px", left: "24px", right: "24px", bottom: `${foot}px` }, maxZoom: 1 });
    };
    const reveal = () => {
      const { drawing, chosen } = store.getState();
      const view = getViewport();
      const shift = hiddenBy(extentOf(drawing, chosen.blocks), view, pane.clientWidth);
      if (shift > 0) void setViewport({ ...view, x: view.x - shift }, { duration: 120 });
    };
    const observer = new ResizeObserver(() => requestAnimationFrame(() => (touched.current ? reveal() : fit())));
    observer.observe(pane);
    fit();
    const unsubscribe = store.subscribe((now, before) => {
      touched.current ||= now.chosen !== before.chosen && now.chosen.blocks.length > 0;
    });
    return () => {
      observer.disconnect();
      unsubscribe();
    };
  }, [has, getViewport, setViewport, fitView, store]);
  return { frame, onMoveEnd: (event: unknown) => void (touched.current ||= event !== null) };
}

// How far the side panel that opened over the right end would cover what was chosen.
function hiddenBy(extent: { right: number; left: number }, view: { x: number; zoom: number }, width: number): number {
  const room = extent.left * view.zoom + view.x - 16;
  return Math.min(extent.right * view.zoom + view.x + 16 - width, room);
}

function extentOf(drawing: Drawing, only?: readonly string[]) {
  const positions = positionsOf(drawing);
  const boxes = drawing.nodes
    .filter(({ key }) => only?.includes(key) ?? true)
    .map((block) => {
      const { x, y } = positions[block.key]!;
      const rules = hasRules(drawing, block.key);
      return {
        x,
        y,
        right: rules ? rulesPosition({ x, y }).x + blockWidth : x + blockWidth,
        bottom: y + (rules ? rulesHeight(drawing, block.key) : headHeight),
      };
    });
  return {
    left: Math.min(...boxes.map((box) => box.x)),
    top: Math.min(...boxes.map((box) => box.y)),
    right: Math.max(...boxes.map((box) => box.right)),
    bottom: Math.max(...boxes.map((box) => box.bottom)),
  };
}

/** The names of the columns stay at the top and follow the canvas sideways. */
function ColumnNames({ drawing }: { drawing: Drawing }) {
  const { t } = useTranslation("flows");
  const { x, zoom } = useViewport();
  const lefts = useMemo(() => columnLefts(drawing), [drawing]);
  return (
    <div className={classes.columns} aria-hidden>
      {lefts.map(([column, left]) => (
        <span key={column} className="caps" style={{ left: left * zoom + x }}>
          {t(`column.${column}`)}
        </span>
      ))}
    </div>
  );
}

function columnLefts(drawing: Drawing): [Column, number][] {
  const positions = positionsOf(drawing);
  const lefts = new Map<Column, number>();
  const note = (column: Column, left: number) => lefts.set(column, Math.min(lefts.get(column) ?? Infinity, left));
  for (const block of drawing.nodes) {
    note(columnOf(block), positions[block.key]!.x);
    if (block.kind === "entry" && hasRules(drawing, block.key)) note("rules", rulesPosition(positions[block.key]!).x);
  }
  const order = [...lefts].sort((a, b) => a[1] - b[1]);
  return order.filter(([, left], index) => index === 0 || left - order[index - 1]![1] > 100);
}

function ariaWords(t: (key: string) => string) {
  return {
    "node.a11yDescription.default": t("canvas.nodeHelp"),
    "node.a11yDescription.keyboardDisabled": t("canvas.nodeHelp"),
    "edge.a11yDescription.default": t("canvas.edgeHelp"),
    "handle.ariaLabel": "",
  };
}
