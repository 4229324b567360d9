import { Popover } from "@mantine/core";
import { IconProgress } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { countInTitle } from "@/components/layout/page-title";
import { toastProblem } from "@/components/state/toast";
import { useActiveCount, useCancel, useRecent } from "./api";
import { TrayView } from "./tray-view";
import classes from "./tray.module.css";

/**
 * The button in the top bar behind which everything stands that was started; its count is in the browser's title too.
 */
export function JobTray() {
  const { t } = useTranslation("operations");
  const [open, setOpen] = useState(false);
  const active = useActiveCount();
  const recent = useRecent(open);
  const cancel = useCancel();
  useEffect(() => {
    countInTitle(active);
    return () => countInTitle(0);
  }, [active]);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" width={360} trapFocus returnFocus>
      <Popover.Target>
        <button
          type="button"
          className={classes.button}
          aria-label={t("open", { count: active })}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <IconProgress size={18} stroke={1.6} aria-hidden />
          {active > 0 && (
            <span className={`${classes.count} num`} aria-hidden>
              {active}
            </span>
          )}
        </button>
      </Popover.Target>
      <Popover.Dropdown p={0} className={classes.dropdown} aria-label={t("title")}>
        <TrayView
          operations={recent.data}
          error={recent.error}
          onRetry={() => void recent.refetch()}
          onCancel={(id) => cancel.mutate(id, { onError: (error) => toastProblem(t("notCancelled"), error) })}
          cancelling={cancel.isPending ? cancel.variables : undefined}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
