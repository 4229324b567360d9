import type { Populated } from "./populated";

/** One click on the way to a layer; what stands in the page, what a menu offers, or a key. */
export type Step = { button: string | RegExp } | { item: string | RegExp } | { key: string };

export interface Sight {
  path: string;
  /** Dialogs, drawers, menus and popovers of the page, each by the steps that open it. */
  layers?: Layer[];
}

interface Layer {
  name: string;
  steps: Step[];
  /** It stands in the page where there is room, and over it on a phone. */
  beside?: boolean;
  /** The width at which it opens, where that is not the widest. */
  width?: number;
}

const menu = (name: string | RegExp, item: string | RegExp, what: string) => ({
  name: what,
  steps: [{ button: name }, { item }],
});
const button = (name: string | RegExp, what = String(name)) => ({ name: what, steps: [{ button: name }] });
const beside = (name: RegExp, what: string) => ({ ...button(name, what), beside: true });

/** What stands in the panel, and an incident. */
type Ids = Populated & { incident: string };

/** Every page of the product that a signed-in person can open, with all that opens over it. */
export function sightsOf(ids: Ids): Sight[] {
  return [
    ...shell(),
    ...nodes(ids),
    ...flows(ids),
    ...targets(ids),
    ...pools(ids),
    ...policies(),
    ...geo(ids),
    ...health(ids),
    ...clients(ids),
    ...abuse(ids),
    ...statusPages(ids),
    ...upkeep(ids),
    ...system(ids),
    ...own(),
    { path: "/nowhere" },
  ];
}

function shell(): Sight[] {
  return [
    {
      path: "/",
      layers: [
        button("Search or run"),
        button(/^Tasks/, "tasks"),
        button(/^Account /, "account menu"),
        { name: "keys", steps: [{ key: "Shift+Slash" }] },
        { ...button("Open menu"), width: 390 },
      ],
    },
    { path: `/?at=${new Date(Date.now() - lately).toISOString()}` },
  ];
}

const lately = 20_000;

function statusPages({ notice }: Populated): Sight[] {
  const acts = /^Actions for Example status/;
  return [
    {
      path: "/status-page",
      layers: [
        button("Add a group"),
        button("Add to Locations"),
        button("Deploy…"),
        menu(acts, /^Remove/, "remove a status page"),
      ],
    },
    { path: "/status-page/incidents", layers: [button("Write an incident")] },
    { path: `/status-page/incidents/${notice}` },
    { path: "/status-page/incidents/nothing" },
    { path: "/status-page/maintenance", layers: [button("Announce maintenance")] },
    { path: "/status-page/publishing", layers: [button("Add a place")] },
  ];
}

function nodes({ node, quiet }: Populated): Sight[] {
  const acts = /^Actions for fra-01/;
  return [
    {
      path: "/nodes",
      layers: [
        button(/^Filters/, "filters"),
        button(/^Columns and density/, "columns"),
        menu(acts, /^Restart core/, "restart"),
        menu(acts, /^Maintenance/, "maintenance"),
        menu(acts, /^Delete/, "delete a node"),
        beside(/^Assistant$/, "assistant"),
      ],
    },
    { path: "/nodes/new" },
    {
      path: `/nodes/${node}`,
      layers: [button("Maintenance…"), menu(acts, /^Restart core/, "restart"), menu(acts, /^Delete/, "delete")],
    },
    { path: `/nodes/${node}?tab=domains`, layers: [button("Remove entry.example.net")] },
    { path: `/nodes/${node}?tab=agent`, layers: [button("Revoke…")] },
    { path: `/nodes/${node}?tab=flows` },
    { path: `/nodes/${node}?tab=events` },
    { path: `/nodes/${node}?tab=settings`, layers: [button("Delete…")] },
    { path: `/nodes/${quiet}` },
  ];
}

function targets({ search }: Populated): Sight[] {
  return [
    { path: "/targets", layers: [button(/^Search$/, "search for targets")] },
    { path: `/targets/${search}`, layers: [button("www.example.org:443", "result")] },
  ];
}

function pools({ pool }: Populated): Sight[] {
  const acts = /^Actions for fra-01/;
  return [
    { path: "/pools", layers: [button("New pool")] },
    {
      path: `/pools/${pool}`,
      layers: [
        button("Change…", "change a pool"),
        button("Remove…", "remove a pool"),
        menu(acts, /^Lead all traffic here/, "lead all traffic to a member"),
        menu(acts, /^Drain/, "drain a member"),
      ],
    },
  ];
}

function policies(): Sight[] {
  return [
    {
      path: "/policies",
      layers: [
        button("New policy"),
        button("Change Modern only", "change a policy"),
        button("Remove Modern only…", "remove a policy"),
      ],
    },
    { path: "/policies?tab=catalogue" },
    {
      path: "/policies?tab=plans",
      layers: [
        button("New custom plan"),
        button("New version of Upstream", "new version of a custom plan"),
        button("Remove Upstream…", "remove a custom plan"),
      ],
    },
  ];
}

function geo({ asset }: Populated): Sight[] {
  return [
    {
      path: "/geo",
      layers: [
        button("Add a file"),
        menu("Actions for geosite.dat", /^Update now/, "update a file"),
        menu("Actions for geosite.dat", /^Remove/, "remove a file"),
      ],
    },
    { path: "/geo?find=www.ads.example" },
    { path: `/geo/${asset}` },
    { path: `/geo/${asset}/categories`, layers: [button("streaming", "a category")] },
    { path: `/geo/${asset}/changes` },
    { path: `/geo/${asset}/nodes` },
  ];
}

function health({ node, flow, incident }: Ids): Sight[] {
  return [
    { path: "/monitoring", layers: [button(/^Columns and density/, "columns")] },
    { path: "/monitoring?state=down&q=nobody" },
    { path: "/monitoring/flows" },
    { path: "/monitoring/incidents" },
    { path: `/monitoring/incidents/${incident}`, layers: [button("Acknowledge…"), button("Resolve…")] },
    { path: "/monitoring/repairs" },
    { path: `/monitoring/nodes/${node}` },
    { path: `/monitoring/flows/${flow}` },
    { path: "/checks" },
    { path: `/checks/${flow}`, layers: [button("Run paid check…")] },
    { path: "/monitoring/policies", layers: [button("New policy"), button("Change Everything else")] },
    { path: `/nodes/${node}?tab=checks` },
    { path: `/flows/${flow}/checks` },
    { path: `/nodes/${node}?tab=proxypanel` },
    { path: `/flows/${flow}/proxypanel` },
  ];
}

function flows({ flow, draft, plan, apply }: Populated): Sight[] {
  const office = /^Actions for Office/;
  const anna = /^Actions for anna's phone/;
  const own = `/flows/${flow}`;
  return [
    {
      path: "/flows",
      layers: [
        button("From template"),
        button("New flow"),
        button(/^Filters/, "filters"),
        button(/^Columns and density/, "columns"),
        menu(office, /^Duplicate/, "duplicate"),
        menu(office, /^Stop serving/, "stop serving"),
        menu(office, /^Delete/, "delete a flow"),
      ],
    },
    { path: "/flows/import" },
    { path: `${own}/graph`, layers: [button(/^Find block/, "find a block"), button(/^Add block/, "blocks")] },
    { path: `${own}/outline`, layers: [beside(/^Level 1/, "inspector"), button(/^Actions for fra-01 entry/, "acts")] },
    {
      path: `${own}/versions`,
      layers: [
        beside(/^v1/, "version"),
        button("Save version"),
        menu("Actions for v1", /^Rename/, "name of a version"),
      ],
    },
    {
      path: `${own}/clients`,
      layers: [
        button("Add client"),
        button(/^Connection link of anna/, "connection link"),
        menu(anna, /^Subscription URL/, "subscription"),
        menu(anna, /^Revoke/, "revoke a client"),
      ],
    },
    { path: `${own}/events` },
    { path: `${own}/settings`, layers: [button("Stop serving…"), button("Delete flow…")] },
    { path: `${own}/plans/${plan}` },
    { path: `${own}/applies/${apply}` },
    { path: `${own}/applies/${apply}?at=1` },
    { path: `/flows/${draft}/outline`, layers: [beside(/^Level 1/, "inspector of a draft"), button("Bind a domain…")] },
    { path: `/flows/bulk?flows=${draft}` },
  ];
}

function clients({ client }: Populated): Sight[] {
  const anna = /^Actions for anna's phone/;
  return [
    {
      path: "/clients",
      layers: [
        button("Add client"),
        button("Import"),
        button(/^Filters/, "filters"),
        button(/^Columns and density/, "columns"),
        button("Export"),
        menu(anna, /^Change/, "change a client"),
        menu(anna, /^Create a URL/, "subscription of a client"),
        menu(anna, /^Disable/, "disable a client"),
        menu(anna, /^Reset traffic/, "reset traffic"),
        menu(anna, /^Revoke/, "revoke a client"),
      ],
    },
    {
      path: `/clients/${client}`,
      layers: [
        button("Change"),
        button("Disable…"),
        button("Create a URL"),
        button("Give a flow"),
        button("Connection link on Office"),
        menu("More", /^Tags/, "tags of a client"),
        menu("Actions for Office", /^Take the flow away/, "take a flow away"),
      ],
    },
    { path: "/clients?state=active&q=nobody" },
  ];
}

function abuse({ client }: Populated): Sight[] {
  return [
    { path: "/abuse", layers: [button(/^Filters/, "filters")] },
    { path: "/abuse/overview" },
    { path: "/abuse/signals", layers: [button(/^Filters/, "filters")] },
    { path: `/abuse/subjects/c:${client}`, layers: [button("Allow…")] },
    { path: "/abuse/blocks", layers: [button("Block an address")] },
    { path: "/abuse/lookups" },
    { path: "/abuse/allowlist", layers: [button("Add to the list")] },
    { path: "/abuse/agents" },
  ];
}

function upkeep({ profile, run, entry }: Populated): Sight[] {
  return [
    { path: "/proxypanel", layers: [button("Connect a panel")] },
    { path: "/domains", layers: [button(/entry.example.net/, "a host name")] },
    { path: "/domains/certificates", layers: [button(/^Upload certificate/, "upload")] },
    { path: "/domains/integrations", layers: [button("Add integration")] },
    { path: "/domains/settings" },
    { path: "/backups", layers: [menu("Actions for Nightly", /^Remove/, "remove a profile")] },
    { path: "/backups/profiles/new" },
    { path: `/backups/profiles/${profile}` },
    { path: `/backups/runs/${run}`, layers: [button("Restore…"), button("Test restore")] },
    { path: "/audit", layers: [button(/^Export/, "export"), button(/^Filter/, "filter")] },
    { path: `/audit?entry=${entry}` },
    { path: "/notifications", layers: [button("Add channel"), button(/^Pager/, "change a channel")] },
    { path: "/notifications/rules", layers: [button("Add rule"), button(/^Nodes/, "change a rule")] },
    { path: "/notifications/deliveries", layers: [button(/^Filters/, "filters")] },
    { path: "/notifications/settings" },
    { path: "/updates", layers: [button("Change the rings…"), button("Through ring 3")] },
    { path: "/diagnostics" },
  ];
}

function system({ account }: Populated): Sight[] {
  const oleg = "Actions for oleg";
  return [
    { path: "/accounts" },
    {
      path: "/accounts?view=people",
      layers: [
        menu(oleg, /^Reset password/, "reset a password"),
        menu(oleg, /^Disable/, "disable"),
        menu(oleg, /^Delete/, "delete an account"),
      ],
    },
    { path: `/accounts?edit=${account}` },
    { path: "/accounts/new" },
    { path: `/accounts/${account}`, layers: [button("Rename…")] },
    { path: "/license", layers: [button("Activate another key"), button("Remove…")] },
    { path: "/settings/automation", layers: [button("Stop everything automatic")] },
    ...["", "/panel", "/subscriptions", "/updates", "/notifications", "/health", "/abuse", "/assistant"].map(
      (section) => ({
        path: `/settings${section}`,
      }),
    ),
  ];
}

function own(): Sight[] {
  return [
    { path: "/account/security", layers: [button("Set up"), button("Add passkey")] },
    { path: "/account/password" },
    { path: "/account/sessions", layers: [button("End all others")] },
    { path: "/account/tokens", layers: [button("New token…"), button("Revoke metrics")] },
  ];
}
