import { z } from "zod";
import { useSearchState } from "@/components/screen/use-search";
import { BulkApply } from "./bulk-apply";
import { BulkPlans } from "./bulk-plans";

const text = z.coerce.string().optional().catch(undefined);

/** Which flows are to be applied together, or the bulk apply that was begun. */
const bulkSearch = z.object({ flows: text, run: text });

/** The drafts of many flows: their plans side by side, then one apply for all of them. */
export default function BulkPage() {
  const [{ flows, run }, change] = useSearchState(bulkSearch);
  if (run) return <BulkApply id={run} />;
  const ids = [...new Set((flows ?? "").split(",").filter(Boolean))];
  return <BulkPlans ids={ids} onBegun={(id) => change({ run: id, flows: undefined })} />;
}
