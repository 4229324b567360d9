import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render } from "@testing-library/react";
import { Suspense, type ReactNode } from "react";
import { loadSharedWords, startI18n } from "@/text/i18n";
import { createPanelTheme } from "@/theme/theme";

/** Draws a view as a page would: words, look, data and an address around it; `route` names the parts of the address. */
export async function renderApp(
  view: ReactNode,
  {
    path = "/",
    route = "$",
    queries = new QueryClient({ defaultOptions: { queries: { retry: false } } }),
  }: { path?: string; route?: string; queries?: QueryClient } = {},
) {
  await startI18n("en");
  loadSharedWords();
  const root = createRootRoute();
  const page = createRoute({ getParentRoute: () => root, path: route, component: () => view });
  const elsewhere = createRoute({ getParentRoute: () => root, path: "$", component: () => null });
  const home = createRoute({ getParentRoute: () => root, path: "/", component: () => view });
  const router = createRouter({
    routeTree: root.addChildren(route === "$" ? [home, page] : [home, page, elsewhere]),
    history: createMemoryHistory({ initialEntries: [path] }),
  });
  const drawn = render(
    <Suspense>
      <QueryClientProvider client={queries}>
        <MantineProvider theme={createPanelTheme({ close: "Close" })} env="test">
          <RouterProvider router={router} />
        </MantineProvider>
      </QueryClientProvider>
    </Suspense>,
  );
  return { ...drawn, address: () => router.state.location.href };
}
