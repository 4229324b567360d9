import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import type { Diagnostics } from "./api";
import { LogCard } from "./log-card";

const line = (text: string, level = "INFO") => ({ time: "2026-03-10T15:02:07Z", level, component: "http", text });
const log = {
  component: "backend",
  source: "a file",
  skipped: [],
  translations: {},
  lines: [line("the panel is ready"), line("request took long", "WARN"), line("request failed", "ERROR")],
} as unknown as Diagnostics["log"];

it("finds lines by words, dates each, and offers only logs that exist", async () => {
  const choose = vi.fn();
  const control = { component: "backend", level: "all", follow: true, here: ["backend"], choose } as const;
  await renderApp(<LogCard log={log} control={control} />);
  const lines = within(await screen.findByRole("region", { name: "Log of backend" }));
  expect(lines.getAllByText(/Mar 10|10 Mar/)).toHaveLength(3);
  expect(screen.queryByText("nginx")).not.toBeInTheDocument();
  await userEvent.type(screen.getByRole("textbox", { name: "Find in the log" }), "failed request");
  expect(lines.getByText(/request failed/)).toBeInTheDocument();
  expect(lines.queryByText(/took long/)).not.toBeInTheDocument();
  expect(screen.getByText("1 line")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("switch", { name: "Follow" }));
  expect(choose).toHaveBeenCalledWith({ follow: false });
});
