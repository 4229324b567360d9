import { screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { serverClock } from "@/api/server-clock";
import { renderApp } from "@/testing/render-app";
import { useFormat } from "./use-format";

const year = 365.25 * 24 * 3_600_000;

afterEach(() => serverClock.setState(serverClock.getInitialState()));

function Day({ at }: { at: string }) {
  return <p>{useFormat().day(at)}</p>;
}

it("leaves out the year of the panel's clock, in a browser that is a year off", async () => {
  serverClock.setState({ ahead: 2 * year });
  const panelYear = new Date(Date.now() + 2 * year).getFullYear();
  await renderApp(
    <>
      <Day at={`${panelYear}-07-15T12:00:00Z`} />
      <Day at={`${panelYear - 2}-07-15T12:00:00Z`} />
    </>,
  );
  expect(await screen.findByText("15 Jul")).toBeVisible();
  expect(screen.getByText(`15 Jul ${panelYear - 2}`)).toBeVisible();
});
