import { act, screen } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { learnServerTime, serverClock } from "@/api/server-clock";
import { renderApp } from "@/testing/render-app";
import { RelativeTime } from "./relative-time";

const minutes = 60_000;

afterEach(() => serverClock.setState(serverClock.getInitialState()));

it.each([10, -10])("says the age by the panel's clock in a browser that is %i min off", async (off) => {
  const panel = Date.now() + off * minutes;
  await renderApp(<RelativeTime at={new Date(panel - 5 * minutes).toISOString()} />);
  act(() => learnServerTime(new Date(panel).toISOString()));
  expect(await screen.findByText("5 min ago")).toBeVisible();
});

it("tells a pointer the full moment", async () => {
  await renderApp(<RelativeTime at="2025-07-15T12:00:00Z" />);
  const time = await screen.findByText(/ ago$/);
  await user.hover(time);
  expect(time).toHaveAttribute("title", expect.stringMatching(/15 July 2025/));
});
