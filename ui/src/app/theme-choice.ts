import { localStorageColorSchemeManager } from "@mantine/core";

/** The same key as in theme.js, which sets the theme before the first paint. */
export const themeManager = localStorageColorSchemeManager({ key: "panel-theme" });
