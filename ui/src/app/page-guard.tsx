import { QueryErrorResetBoundary, useQuery } from "@tanstack/react-query";
import { IconMapQuestion } from "@tabler/icons-react";
import { Suspense, useEffect, type ReactNode } from "react";
import { ErrorBoundary } from "react-error-boundary";
import { useTranslation } from "react-i18next";
import { licenseQuery, meQuery, useAccess } from "@/api/access";
import { useSession } from "@/api/session";
import { ActionLink } from "@/components/action/action";
import { nameInTitle, pageTitle } from "@/components/layout/page-title";
import { ProblemView } from "@/components/state/problem-view";
import { EmptyState, FeatureBlocked, NoPermission, Skeleton } from "@/components/state/states";
import { useLanguage } from "@/text/use-format";
import type { ModulePage } from "./modules";

/** Puts a page where the account may read it, and says why where it may not. */
export function PageGuard({ page, children }: { page: ModulePage; children: ReactNode }) {
  const language = useLanguage();
  const bare = page.frame === "bare";
  useEffect(() => {
    // A page that is named by its data keeps that name in both languages.
    nameInTitle(pageTitle.getState().title ?? page.title[language]);
  }, [page, language]);
  return (
    <QueryErrorResetBoundary>
      {({ reset }) => (
        <ErrorBoundary
          onReset={reset}
          resetKeys={[page.path]}
          fallbackRender={({ error, resetErrorBoundary }) => <ProblemView error={error} onRetry={resetErrorBoundary} />}
        >
          <Suspense fallback={<Skeleton rows={8} />}>
            {bare ? children : <Guarded page={page}>{children}</Guarded>}
          </Suspense>
        </ErrorBoundary>
      )}
    </QueryErrorResetBoundary>
  );
}

function Guarded({ page, children }: { page: ModulePage; children: ReactNode }) {
  const { t } = useTranslation("app");
  const language = useLanguage();
  const signedIn = useSession().token !== undefined;
  const me = useQuery({ ...meQuery, enabled: signedIn });
  const license = useQuery({ ...licenseQuery, enabled: signedIn }).data;
  const { can } = useAccess();
  if (me.error && !me.data) return <ProblemView error={me.error} onRetry={() => void me.refetch()} />;
  if (!me.data) return signedIn ? <Skeleton rows={8} /> : children;
  if (page.needs && !can(...page.needs)) return <NoPermission required={page.needs} />;
  if (page.feature && license && !license.read_only && license.features.blocked.includes(page.feature)) {
    return (
      <FeatureBlocked
        name={page.title[language]}
        plan={license.plan ?? ""}
        act={<ActionLink to="/license">{t("blocked.act")}</ActionLink>}
      />
    );
  }
  return children;
}

export function MissingPage() {
  const { t } = useTranslation("app");
  return (
    <EmptyState
      icon={IconMapQuestion}
      title={t("missing.title")}
      act={<ActionLink to="/">{t("missing.act")}</ActionLink>}
    >
      {t("missing.text")}
    </EmptyState>
  );
}
