package healthapi

// Kinds of events about external checks. Their subject is the flow, but of the budget, whose subject is the limit.
const (
	EventCheckStarted        = "extcheck.started"              // CheckNews
	EventCheckDone           = "extcheck.done"                 // CheckNews
	EventCheckFailed         = "extcheck.failed"               // CheckNews
	EventCheckEnded          = "extcheck.cancelled"            // CheckNews: ended early; what was done is kept
	EventReachabilityDropped = "extcheck.reachability_dropped" // DropNews
	EventBudgetReached       = "extcheck.budget_reached"       // BudgetNews, once in each period
	ActionCheckCancelled     = "extcheck.cancel_asked"         // this and the next ones: in the journal alone
	ActionScheduleAdded      = "extcheck.schedule_added"
	ActionScheduleChanged    = "extcheck.schedule_changed"
	ActionScheduleRemoved    = "extcheck.schedule_removed"
)

// CheckNews says how an external check began or ended. Cost is in kopeks.
type CheckNews struct {
	ReportID string `json:"report_id"`
	FlowName string `json:"flow_name"`
	NodeName string `json:"node_name"`
	Target   string `json:"target"`
	Passed   int    `json:"passed"` // operators that reached it
	Total    int    `json:"total"`
	Cost     int64  `json:"cost"`
	Reason   string `json:"reason,omitempty"`
}

// DropNews says that operators do not reach an address any more that they reached in the report before.
type DropNews struct {
	ReportID string   `json:"report_id"`
	FlowName string   `json:"flow_name"`
	NodeName string   `json:"node_name"`
	Target   string   `json:"target"`
	Was      int      `json:"was"`
	Now      int      `json:"now"`
	Total    int      `json:"total"`
	Lost     []string `json:"lost"` // keys of operators
}

// BudgetNews says that a cap keeps external checks from being made. Money is in kopeks.
type BudgetNews struct {
	Limit string `json:"limit"` // daily or monthly
	Spent int64  `json:"spent"`
	Cap   int64  `json:"cap"`
}
