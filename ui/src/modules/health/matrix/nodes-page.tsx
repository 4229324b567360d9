import { MatrixPage } from "./matrix-page";

/** How all nodes do. */
export default function NodesPage() {
  return <MatrixPage kind="nodes" />;
}
