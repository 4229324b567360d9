import type { QueryClient } from "@tanstack/react-query";
import { meQuery, opens } from "@/api/access";
import { session } from "@/api/session";
import type { PermissionKey } from "@/api/keys.gen";
import { chosenLanguage, loadSharedWords, startI18n } from "@/text/i18n";
import { modules, type ModulePage } from "./modules";
import { loadPage, type createPanelRouter } from "./router";

/** A page that needs longer than this shows its frame first. */
const patience = 400;

/**
 * Begins all that the first page needs at once: words, code, who is signed in, and then what the page shows. The page
 * is then drawn once instead of in steps, each of which costs a slow machine as much as the whole.
 */
export async function prepareFirstPage(
  router: ReturnType<typeof createPanelRouter>,
  queries: QueryClient,
): Promise<void> {
  await router.load();
  const page = router.state.matches.at(-1)?.staticData.page;
  const words = startI18n(chosenLanguage(), page ? wordsOf(page) : []);
  void words.then(whenSignedIn(loadSharedWords));
  if (page) {
    const slow = new Promise((resolve) => setTimeout(resolve, patience));
    // What could not be fetched is asked for again, and told, by the page itself.
    const begun = prepare(page, router.state.location.search, queries).catch(() => undefined);
    await Promise.race([begun, slow]);
  }
  await words;
}

/** A visitor who is not signed in is refused by the panel alone. */
const whenSignedIn = (run: () => void) => () => {
  if (session.getState().token !== undefined) return run();
  const stop = session.subscribe(({ token }) => {
    if (token === undefined) return;
    stop();
    run();
  });
};

/** The frame itself shows tasks, and what other modules say of themselves. */
function wordsOf({ module, frame }: ModulePage): string[] {
  return frame === "bare" ? [module] : [module, "operations", "words"];
}

async function prepare(page: ModulePage, search: object, queries: QueryClient): Promise<void> {
  const signedIn = session.getState().token !== undefined;
  const me = signedIn && page.frame !== "bare" ? queries.fetchQuery(meQuery) : undefined;
  const [code, known] = await Promise.all([loadPage(page), me, page.alongside?.(modules)]);
  if (!known || known.account.must_change_password) return;
  const can = (...needed: PermissionKey[]) => opens(known.permissions, needed);
  if (page.needs && !can(...page.needs)) return;
  await code.ahead?.({ queries, can, modules, search: search as Record<string, unknown> });
}
