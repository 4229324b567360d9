import {
  IconArrowRight,
  IconArrowsTransferUp,
  IconBan,
  IconDoorEnter,
  IconListDetails,
  IconPuzzle,
  IconServer2,
  IconTopologyStar3,
  type Icon,
} from "@tabler/icons-react";
import type { BlockKind } from "./drawing";

export const kindIcons: Record<BlockKind, Icon> = {
  entry: IconDoorEnter,
  transit: IconArrowsTransferUp,
  transit_pool: IconTopologyStar3,
  exit: IconServer2,
  direct: IconArrowRight,
  block: IconBan,
  custom: IconPuzzle,
};

export const rulesIcon: Icon = IconListDetails;
