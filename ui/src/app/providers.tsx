import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import { setNonce } from "get-nonce";
import { useEffect, useMemo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { LeaveDialog } from "@/components/form/leave-dialog";
import { Modules } from "@/components/slots/contributions";
import { createPanelTheme } from "@/theme/theme";
import { LiveChanges } from "./live-changes";
import { modules } from "./modules";
import { themeManager } from "./theme-choice";

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
if (nonce) setNonce(nonce);

/** Everything around the pages: look, words, data, live changes and messages. */
export function Providers({ queries, children }: { queries: QueryClient; children: ReactNode }) {
  const { t, i18n } = useTranslation("app");
  const theme = useMemo(() => createPanelTheme({ close: t("close") }), [t]);
  useEffect(() => {
    document.documentElement.lang = i18n.language;
  }, [i18n.language]);
  return (
    <QueryClientProvider client={queries}>
      <MantineProvider
        theme={theme}
        getStyleNonce={nonce ? () => nonce : undefined}
        colorSchemeManager={themeManager}
        defaultColorScheme="auto"
        deduplicateInlineStyles
      >
        <LiveChanges />
        <LeaveDialog />
        <Modules value={modules}>{children}</Modules>
        <Notifications position="bottom-center" limit={3} autoClose={5000} />
      </MantineProvider>
    </QueryClientProvider>
  );
}
