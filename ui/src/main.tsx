import "./theme/kit-base.css";
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/kit.css";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { meQuery } from "./api/access";
import { createQueryClient } from "./api/query-client";
import { session } from "./api/session";
import { Providers } from "./app/providers";
import { createPanelRouter, preloadPage } from "./app/router";
import { startI18n } from "./text/i18n";

const queries = createQueryClient();
const router = createPanelRouter();

// Who is signed in and the code of the page are asked for beside the words, not after them.
if (session.getState().token !== undefined) void queries.prefetchQuery(meQuery);
preloadPage(window.location.pathname);
await startI18n();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Suspense>
      <Providers queries={queries}>
        <RouterProvider router={router} />
      </Providers>
    </Suspense>
  </StrictMode>,
);
