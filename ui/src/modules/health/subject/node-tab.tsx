import { SubjectBody } from "./subject-body";

/** How a node does, on its own page. */
export default function NodeTab({ id }: { id: string }) {
  return <SubjectBody kind="nodes" id={id} />;
}
