import type { Block, Drawing } from "../drawing/drawing";

export type Template = "blank" | "single" | "pair" | "shadowsocks";

export const templates: Template[] = ["blank", "single", "pair", "shadowsocks"];

export interface TemplateChoice {
  template: Template;
  entry?: string;
  exit?: string;
  target?: string;
  port?: number;
}

export function needsExit(template: Template): boolean {
  return template === "pair";
}

/** The drawing that a template starts with. Everything in it can be changed afterwards. */
export function drawingOf({
  template,
  entry,
  exit,
  target,
  port = template === "shadowsocks" ? 8388 : 443,
}: TemplateChoice): Drawing | undefined {
  if (template === "blank") return undefined;
  const listener: NonNullable<Block["params"]>["listener"] =
    template === "shadowsocks"
      ? { protocol: "shadowsocks2022", port, method: "2022-blake3-aes-256-gcm" }
      : { protocol: "vless", port, security: "reality", reality: { target: target ?? "" } };
  const way = template === "pair" ? exit : entry;
  return {
    nodes: [
      { key: "entry", kind: "entry", ...(entry && { node_id: entry }), params: { listener } },
      { key: "exit", kind: "exit", ...(way && { node_id: way }) },
    ],
    edges: [{ from: "entry", to: "exit" }],
  };
}
