import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { listenerLine } from "../drawing/drawing";
import type { Flow } from "../shared/api";
import { FlowConfig, FlowHealth } from "../shared/flow-states";
import classes from "./list.module.css";
import { VersionCell } from "./use-flow-columns";

/** A flow in two lines, where a table has no room. */
export function FlowRow({ flow }: { flow: Flow }) {
  const { t } = useTranslation("flows");
  return (
    <>
      <span className={classes.phoneLine}>
        <Link to={`/flows/${flow.id}`} className="strong">
          {flow.name}
        </Link>
        <span className="dim">{listenerLine(flow.entry?.listener ?? undefined) || t("block.noListener")}</span>
      </span>
      <span className={classes.phoneLine}>
        <FlowConfig flow={flow} />
        <FlowHealth flow={flow} />
        <VersionCell flow={flow} />
      </span>
    </>
  );
}
