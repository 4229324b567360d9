import { Drawer } from "@mantine/core";
import { useHotkeys, useLocalStorage } from "@mantine/hooks";
import { Outlet, useMatches, useRouter } from "@tanstack/react-router";
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { Onward } from "@/components/action/onward";
import { WhenOpened } from "@/components/dialog/when-opened";
import { usePhone, useTablet } from "@/components/screen/use-phone";
import { Skeleton } from "@/components/state/states";
import { Banner } from "./banner";
import { KeyList } from "./key-list";
import { Palette } from "./palette";
import { SessionEnded } from "./session-ended";
import classes from "./shell.module.css";
import { SideNav } from "./side-nav";
import { SheetButton, SideSheet, useSheet } from "./side-sheet";
import { TopBar } from "./top-bar";
import { catchKeys, type KeyCatcher } from "./typed-ahead";
import { useAccountLanguage } from "./use-account-language";
import { useFocusKeeper } from "./use-focus-keeper";
import { usePageFocus } from "./use-page-focus";
import { useShellKeys } from "./use-shell-keys";

/**
 * Shows the frame, unless the account has to choose a password of its own: the panel refuses everything else until
 * then.
 */
export function Shell() {
  const { account } = useAccess();
  const { state } = useRouter();
  useAccountLanguage();
  const { href } = state.location;
  if (account?.must_change_password) return <Onward to="/new-password" search={href === "/" ? {} : { next: href }} />;
  return <Frame />;
}

/** The frame of every signed-in page: bar, navigation, one banner, the page. */
function Frame() {
  const { t } = useTranslation("app");
  const page = useMatches().at(-1)?.staticData.page;
  const [menu, setMenu] = useState(false);
  const [folded, setFolded] = useLocalStorage({
    key: "panel-nav-folded",
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const [listing, setListing] = useState(false);
  const list = useCallback(() => setListing(true), []);
  const phone = usePhone();
  const tablet = useTablet();
  useShellKeys(list);
  useFocusKeeper();
  usePageFocus();
  // Without room beside the page, the whole navigation opens over it.
  const side = useSideSheet();
  const narrow = tablet || page?.frame === "wide" || side.opened;
  const rail = folded || narrow;
  const { searching, search, endSearch, typedAhead } = useSearch();
  useHotkeys([["mod+K", search]], []);
  useEffect(() => setMenu(false), [page]);
  return (
    <div className={classes.shell} data-rail={rail || undefined} data-sheet={side.opened || undefined}>
      <a href="#content" className={classes.skip}>
        {t("shell.skip")}
      </a>
      <TopBar
        rail={rail}
        onMenu={() => setMenu(true)}
        onFold={() => (narrow ? setMenu(true) : setFolded(!folded))}
        onSearch={search}
        sheet={
          side.entry && (
            <SheetButton entry={side.entry} opened={side.opened} target={side.target} onToggle={side.onToggle} />
          )
        }
      />
      {!phone && <SideNav rail={rail} />}
      <div className={classes.column}>
        <Banner />
        <main id="content" tabIndex={-1} className={classes.page} data-wide={page?.frame === "wide" || undefined}>
          <Suspense fallback={<Skeleton rows={8} />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <WhenOpened opened={menu && (phone || narrow)}>
        {(opened) => (
          <Drawer opened={opened} onClose={() => setMenu(false)} position="left" size={288} title={t("shell.menu")}>
            <SideNav rail={false} />
          </Drawer>
        )}
      </WhenOpened>
      <WhenOpened opened={searching}>
        {(opened) => <Palette opened={opened} onClose={endSearch} typedAhead={typedAhead} />}
      </WhenOpened>
      <WhenOpened opened={listing}>
        {(opened) => <KeyList opened={opened} onClose={() => setListing(false)} />}
      </WhenOpened>
      {side.entry && (
        <WhenOpened opened={side.opened}>
          {(opened) => <SideSheet entry={side.entry!} opened={opened} onClose={side.close} />}
        </WhenOpened>
      )}
      <SessionEnded />
    </div>
  );
}

/** The sheet beside the page, whether it is open, and its button, which gets the focus when it closes. */
function useSideSheet() {
  const entry = useSheet();
  const [opened, setOpened] = useState(false);
  const target = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => {
    setOpened(false);
    target.current?.focus({ preventScroll: true });
  }, []);
  const onToggle = () => (opened ? close() : setOpened(true));
  return { entry, opened, target, close, onToggle };
}

/** Whether the palette is open, and the keys that were meant for it before it could take them. */
function useSearch() {
  const [searching, setSearching] = useState(false);
  const catcher = useRef<KeyCatcher>(undefined);
  const typedAhead = useCallback(() => {
    const typed = catcher.current?.take();
    catcher.current = undefined;
    return typed;
  }, []);
  const endSearch = useCallback(() => {
    typedAhead();
    setSearching(false);
  }, [typedAhead]);
  const search = useCallback(() => {
    if (!searching) catcher.current ??= catchKeys(endSearch);
    setSearching(true);
  }, [searching, endSearch]);
  useEffect(() => () => void typedAhead(), [typedAhead]);
  return { searching, search, endSearch, typedAhead };
}
