import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useFormat } from "@/text/use-format";
import { trafficQuery, versionQuery } from "../shared/api";
import { loadsOfWays } from "../shared/loads";
import { serves } from "../shared/states";
import { useDrawing, useEditor } from "./editor-context";

/** What the ways of the draft carry now, by their index, and the words for it. */
export function useWayLoads() {
  const { flow } = useEditor();
  const drawing = useDrawing();
  const format = useFormat();
  const traffic = useQuery({ ...trafficQuery(flow.id), enabled: serves(flow) }).data;
  const installed = useQuery(versionQuery(flow.id, flow.installed_version_id)).data?.graph;
  const loads = useMemo(
    () => loadsOfWays(serves(flow) ? traffic : undefined, installed, drawing),
    [flow, traffic, installed, drawing],
  );
  const rate = useCallback(
    (load: number | undefined) => {
      if (load === undefined) return undefined;
      const { value, unit } = format.bits(load);
      return `${value} ${unit}`;
    },
    [format],
  );
  return { loads, rate };
}
