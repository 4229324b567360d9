import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { useStore } from "zustand";
import { renderApp } from "@/testing/render-app";
import type { Listener } from "../../drawing/drawing";
import { fakeState } from "../../testing/fake-panel";
import { fakeFlow } from "../../testing/samples";
import { serveFake } from "../../testing/serve-fake";
import { createDraftStore } from "../draft/draft-store";
import { EditorProvider } from "../editor-context";
import { ListenerForm } from "./listener-form";

async function open(listener: Listener) {
  const flow = fakeFlow();
  const panel = serveFake(fakeState({ flows: [flow] }));
  const store = createDraftStore();
  store.getState().edit(() => ({ nodes: [{ key: "in", kind: "entry", params: { listener } }], edges: [] }));
  const editor = { flow, store, problems: [], changes: [], changed: new Set<string>(), closed: undefined };
  const Form = () => {
    const drawing = useStore(store, (state) => state.drawing);
    return <ListenerForm block={drawing.nodes[0]!} path="params.listener" />;
  };
  await renderApp(
    <EditorProvider value={editor}>
      <Form />
    </EditorProvider>,
    { path: "/flows/f-europe/graph", queries: panel.queries },
  );
  await screen.findByRole("combobox", { name: "Protocol" });
  return () => store.getState().drawing.nodes[0]!.params!.listener;
}

async function choose(name: string, option: string) {
  await userEvent.click(screen.getByRole("combobox", { name }));
  await userEvent.click(await screen.findByRole("option", { name: option }));
}

describe("the form of a listener", () => {
  it("has Hysteria 2 hidden from the beginning, and takes a range in place of the port", async () => {
    const drawn = await open({ protocol: "vless", port: 443, security: "reality", reality: { target: "a:443" } });
    await choose("Protocol", "Hysteria 2");
    expect(drawn()).toEqual({ protocol: "hysteria2", port: 443, obfs: "salamander" });
    await userEvent.type(screen.getByLabelText("Port range"), "20000-20010");
    await userEvent.click(screen.getByRole("switch", { name: /^Obfuscation/ }));
    expect(drawn()).toEqual({ protocol: "hysteria2", port_range: "20000-20010" });
    expect(screen.queryByRole("combobox", { name: "Transport" })).toBeNull();
  });

  it("lets VMess go without TLS, over any transport", async () => {
    const drawn = await open({ protocol: "vmess", port: 8080, security: "tls" });
    await userEvent.click(screen.getByRole("switch", { name: /^TLS/ }));
    await choose("Transport", "WebSocket");
    expect(drawn()).toEqual({ protocol: "vmess", port: 8080, security: "none", transport: "ws" });
  });

  it("slows strangers of a REALITY listener down, and keeps what only the JSON view has", async () => {
    const limit = { after_bytes: 5, bytes_per_sec: 1000 };
    const drawn = await open({
      protocol: "vless",
      port: 443,
      security: "reality",
      reality: { target: "a:443", limit_fallback_up: limit },
    });
    await choose("PROXY protocol to the target", "2");
    await userEvent.type(screen.getByLabelText("Strangers read, kB/s"), "50");
    await userEvent.type(screen.getByLabelText("Strangers send, kB/s"), "0");
    expect(drawn()!.reality).toEqual({
      target: "a:443",
      xver: 2,
      limit_fallback_up: { after_bytes: 5, bytes_per_sec: 10_000 },
      limit_fallback_down: { bytes_per_sec: 50_000 },
    });
  });

  it("has nothing to set for WireGuard but where it listens", async () => {
    const drawn = await open({ protocol: "hysteria2", port_range: "20000-20010", obfs: "salamander" });
    await choose("Protocol", "WireGuard");
    await userEvent.type(screen.getByLabelText("Port"), "51820");
    expect(drawn()).toEqual({ protocol: "wireguard", port: 51820 });
    expect(screen.queryByRole("combobox", { name: "Transport" })).toBeNull();
    await userEvent.click(screen.getByText("More settings"));
    expect(screen.queryByRole("switch", { name: /^Behind a load balancer/ })).toBeNull();
  });

  it("expects a load balancer in front where the protocol is carried over TCP", async () => {
    const drawn = await open({ protocol: "trojan", port: 443, security: "tls" });
    await userEvent.click(screen.getByText("More settings"));
    await userEvent.click(screen.getByRole("switch", { name: /^Behind a load balancer/ }));
    expect(drawn()).toEqual({ protocol: "trojan", port: 443, security: "tls", accept_proxy_protocol: true });
  });

  it("raises the lowest version of TLS", async () => {
    const drawn = await open({ protocol: "trojan", port: 443, security: "tls" });
    await choose("Lowest TLS version", "1.3");
    expect(drawn()!.min_version).toBe("1.3");
  });

  it("takes an own key, which is named by its public half once the panel has it", async () => {
    const drawn = await open({ protocol: "vless", port: 443, security: "reality", reality: { target: "a:443" } });
    await userEvent.click(screen.getByText("More settings"));
    await userEvent.type(screen.getByLabelText("Own private key"), " abc ");
    await userEvent.click(screen.getByRole("switch", { name: /^Sign with ML-DSA-65/ }));
    await choose("Sniffing", "Never");
    expect(drawn()).toMatchObject({ sniffing: "off", reality: { target: "a:443", private_key: "abc", mldsa65: true } });
  });

  it("goes back to the key of the panel", async () => {
    const reality = { target: "a:443", public_key: "EFzf7diK7eW7fs-fhEIGfnsc2ElK1X5WEu6WBybLZko" };
    const drawn = await open({ protocol: "vless", port: 443, security: "reality", reality });
    await userEvent.click(screen.getByText("More settings"));
    expect(screen.getByLabelText("Own private key")).toHaveAttribute("placeholder", "In use: EFzf7diK7eW7…");
    await userEvent.click(screen.getByRole("button", { name: "Use a key of the panel" }));
    expect(drawn()!.reality).toEqual({ target: "a:443" });
  });

  it("has the settings of xhttp, and leaves nothing behind where they are emptied", async () => {
    const drawn = await open({
      protocol: "vless",
      port: 443,
      security: "reality",
      transport: "xhttp",
      reality: { target: "a:443" },
    });
    await userEvent.click(screen.getByText("More settings"));
    await userEvent.type(screen.getByLabelText("Padding, bytes"), "200-300");
    await userEvent.type(screen.getByLabelText("Streams per connection"), "8");
    expect(drawn()!.extra).toEqual({ x_padding_bytes: "200-300", xmux: { max_concurrency: "8" } });
    await userEvent.clear(screen.getByLabelText("Padding, bytes"));
    await userEvent.clear(screen.getByLabelText("Streams per connection"));
    expect(drawn()!.extra?.x_padding_bytes).toBeUndefined();
  });
});
