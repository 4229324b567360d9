import { SubjectPage } from "./subject-page";

/** How one node does. */
export default function NodePage() {
  return <SubjectPage kind="nodes" />;
}
