-- States are derived by an expression in the query itself: a function of whole rows is not inlined and costs per row.
drop function node_state(nodes, node_reports, timestamptz, interval);
