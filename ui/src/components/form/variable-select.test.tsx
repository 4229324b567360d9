import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { SettingsDocument } from "@/api/settings-document";
import { renderApp } from "@/testing/render-app";
import { asVariable, ownOrVariable, ownValue, VariableSelect } from "./variable-select";

const names = { stable: "Stable", dev: "Development" };

function document(given: boolean, holds: boolean): SettingsDocument<unknown> {
  const channel = { field: "channel", variable: "PANEL_UPDATE_CHANNEL", given, value: "stable", holds };
  return { revision: 1, stored: !holds, updated_at: null, settings: {}, variables: [channel] };
}

async function draw(read: SettingsDocument<unknown>, own: string) {
  const onChange = vi.fn();
  const value = ownOrVariable(read, "channel", own);
  await renderApp(
    <VariableSelect label="Channel" document={read} field="channel" names={names} value={value} onChange={onChange} />,
  );
  return { onChange, input: await screen.findByRole<HTMLInputElement>("combobox", { name: "Channel" }) };
}

describe("a setting that has a variable", () => {
  it.each([
    [
      true,
      true,
      "Stable, from PANEL_UPDATE_CHANNEL",
      /PANEL_UPDATE_CHANNEL applies: on the server it is set to stable/,
    ],
    [false, true, "Stable, by default", /The default applies: stable\. PANEL_UPDATE_CHANNEL is not set/],
    [true, false, "Development", /What is set here applies\. PANEL_UPDATE_CHANNEL says stable and is not used/],
    [false, false, "Development", /What is set here applies\. PANEL_UPDATE_CHANNEL is not set/],
  ])("says which of both holds (given %s, holds %s)", async (given, holds, shown, note) => {
    const { input } = await draw(document(given, holds), "dev");
    expect(input).toHaveValue(shown);
    expect(input).toHaveAccessibleDescription(note);
  });

  it("can be given back to its variable", async () => {
    const { onChange, input } = await draw(document(true, false), "dev");
    await userEvent.click(input);
    await userEvent.click(await screen.findByRole("option", { name: "Stable, from PANEL_UPDATE_CHANNEL" }));
    expect(onChange.mock.lastCall?.[0]).toBe(asVariable);
    expect(ownValue(asVariable)).toBeUndefined();
    expect(ownValue("dev")).toBe("dev");
  });
});
