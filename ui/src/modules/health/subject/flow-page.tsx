import { SubjectPage } from "./subject-page";

/** How one flow does. */
export default function FlowPage() {
  return <SubjectPage kind="flows" />;
}
