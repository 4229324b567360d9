import { useTranslation } from "react-i18next";
import { findBlock, matchLine, type Drawing } from "../../drawing/drawing";
import { useBlockName } from "../editor-context";
import { fieldName, placeOf } from "./problems";

/** Where a finding is, as people call it: the block or rule and its field, never `nodes[4].params`. */
export function usePlaceWords(drawing: Drawing | undefined): (path: string) => string {
  const { t, i18n } = useTranslation("flows");
  const nameOf = useBlockName();
  const fieldWord = (path: string) => {
    const name = fieldName(path);
    const key = [`field.${name}`, `match.${name}`].find((one) => i18n.exists(one, { ns: "flows" }));
    return key && name !== "match" ? t(key) : "";
  };
  return (path) => {
    const place = drawing && placeOf(drawing, path);
    if (!drawing || !place) return "";
    if ("block" in place)
      return [nameOf(findBlock(drawing, place.block)), fieldWord(place.field)].filter(Boolean).join(", ");
    const edge = drawing.edges[place.edge]!;
    const way = t("changes.way", {
      from: nameOf(findBlock(drawing, edge.from)),
      to: nameOf(findBlock(drawing, edge.to)),
    });
    const condition = matchLine(edge.match, (count) => t("match.more", { count }));
    return [way, condition || fieldWord(place.field)].filter(Boolean).join(", ");
  };
}
