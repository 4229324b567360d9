import { createRootRoute, createRoute, createRouter, Outlet, redirect, type AnyRoute } from "@tanstack/react-router";
import { lazy } from "react";
import { session } from "@/api/session";
import { BareFrame } from "./bare-frame";
import { pages, type ModulePage } from "./modules";
import { MissingPage, PageGuard } from "./page-guard";
import { Shell } from "./shell/shell";

const root = createRootRoute({ component: Outlet, notFoundComponent: MissingPage });

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  beforeLoad: ({ location }) => {
    const { token, ended } = session.getState();
    if (token === undefined && !ended)
      throw redirect({ to: "/login", search: location.href === "/" ? {} : { next: location.href } });
  },
});

const bare = createRoute({ getParentRoute: () => root, id: "bare", component: BareFrame });

function pageRoute(page: ModulePage): AnyRoute {
  const Page = lazy(page.load);
  return createRoute({
    getParentRoute: (): AnyRoute => (page.frame === "bare" ? bare : shell),
    path: page.path,
    staticData: { page },
    component: () => (
      <PageGuard page={page}>
        <Page />
      </PageGuard>
    ),
  });
}

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    page?: ModulePage;
  }
}

export function createPanelRouter() {
  const of = (isBare: boolean) => pages.filter((page) => (page.frame === "bare") === isBare).map(pageRoute);
  const everythingElse = createRoute({ getParentRoute: () => shell, path: "$", component: MissingPage });
  return createRouter({
    routeTree: root.addChildren([shell.addChildren([...of(false), everythingElse]), bare.addChildren(of(true))]),
    defaultPreload: false,
    scrollRestoration: true,
  });
}

/** Fetches the code of the page that an address without parameters opens. */
export function preloadPage(path: string): void {
  // What could not be fetched is asked for again, and told, by the page itself.
  void pages
    .find((page) => page.path === path)
    ?.load()
    .catch(() => undefined);
}
