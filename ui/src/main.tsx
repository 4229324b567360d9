import "./theme/kit-base.css";
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/kit.css";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/query-client";
import { prepareFirstPage } from "./app/first-page";
import { Providers } from "./app/providers";
import { createPanelRouter } from "./app/router";

const queries = createQueryClient();
const router = createPanelRouter();

await prepareFirstPage(router, queries);
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Suspense>
      <Providers queries={queries}>
        <RouterProvider router={router} />
      </Providers>
    </Suspense>
  </StrictMode>,
);
