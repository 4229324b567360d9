import { createRootRoute, createRoute, createRouter, Outlet, redirect, type AnyRoute } from "@tanstack/react-router";
import { lazy, useState, type ComponentType } from "react";
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

const loaded = new WeakMap<ModulePage, ComponentType>();

/** Fetches the code of a page; one that was fetched before it is drawn is drawn at once. */
export async function loadPage(page: ModulePage): ReturnType<ModulePage["load"]> {
  const file = await page.load();
  loaded.set(page, file.default);
  return file;
}

function pageRoute(page: ModulePage): AnyRoute {
  const Later = lazy(() => loadPage(page));
  function GuardedPage() {
    // While it stands it stays the same component, else everything in it would begin anew.
    const [Page] = useState(() => loaded.get(page) ?? Later);
    return (
      <PageGuard page={page}>
        <Page />
      </PageGuard>
    );
  }
  return createRoute({
    getParentRoute: (): AnyRoute => (page.frame === "bare" ? bare : shell),
    path: page.path,
    staticData: { page },
    component: GuardedPage,
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
