import { SubjectBody } from "./subject-body";

/** How a flow does, on its own page. */
export default function FlowTab({ id }: { id: string }) {
  return <SubjectBody kind="flows" id={id} />;
}
