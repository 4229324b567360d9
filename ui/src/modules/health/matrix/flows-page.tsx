import { MatrixPage } from "./matrix-page";

/** How all flows do. */
export default function FlowsPage() {
  return <MatrixPage kind="flows" />;
}
