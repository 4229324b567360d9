import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, render, screen, waitFor } from "@testing-library/react";
import { lazy } from "react";
import { expect, it, vi } from "vitest";
import { meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { startI18n } from "@/text/i18n";
import { createPanelTheme } from "@/theme/theme";
import { Shell } from "./shell";

/** A page that takes a while to come, as every page of the panel does. */
function comesLater() {
  let come: () => void = () => undefined;
  const page = { default: () => <h1>Choose your own password</h1> };
  const coming = new Promise<typeof page>((resolve) => (come = () => resolve(page)));
  return { Page: lazy(() => coming), come: () => come() };
}

it("leads an account that must change its password away from every page, once", async () => {
  await startI18n("en");
  act(() => beginSession("ps_test"));
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  queries.setQueryData(meQuery.queryKey, { account: { must_change_password: true }, permissions: ["*"] } as never);
  const { Page, come } = comesLater();
  const root = createRootRoute();
  const shell = createRoute({ getParentRoute: () => root, id: "shell", component: Shell });
  const nodes = createRoute({ getParentRoute: () => shell, path: "/nodes", component: () => <h1>Nodes</h1> });
  const own = createRoute({ getParentRoute: () => root, path: "/new-password", component: Page });
  const history = createMemoryHistory({ initialEntries: ["/nodes"] });
  const router = createRouter({ routeTree: root.addChildren([shell.addChildren([nodes]), own]), history });
  const navigated = vi.fn();
  router.subscribe("onBeforeNavigate", navigated);
  render(
    <QueryClientProvider client={queries}>
      <MantineProvider theme={createPanelTheme({ close: "Close" })} env="test">
        <RouterProvider router={router} />
      </MantineProvider>
    </QueryClientProvider>,
  );
  await waitFor(() => expect(history.location.pathname).toBe("/new-password"));
  await act(async () => come());
  expect(await screen.findByRole("heading", { name: "Choose your own password" })).toBeInTheDocument();
  expect(history.location.search).toBe("?next=%2Fnodes");
  expect(screen.queryByRole("heading", { name: "Nodes" })).not.toBeInTheDocument();
  expect(navigated.mock.calls.length).toBeLessThanOrEqual(2);
});
