import { serveUnder } from "@/testing/serve";
import type { Component, Deploy, DeployPreview, Maintenance, Notice, Page, Target } from "./api";

const at = "2026-03-11T04:00:00Z";

export const pageId = "01890000-0000-7000-8000-0000000000a1";
export const componentId = "01890000-0000-7000-8000-0000000000c1";
export const noticeId = "01890000-0000-7000-8000-0000000000d1";
export const targetId = "01890000-0000-7000-8000-0000000000e1";
export const deployId = "01890000-0000-7000-8000-0000000000f1";

export function makeComponent(change: Partial<Component> = {}): Component {
  return {
    id: componentId,
    group_id: "",
    names: { en: "Europe", ru: "Европа" },
    source: "flow",
    source_id: "01890000-0000-7000-8000-000000000001",
    source_name: "Europe main",
    visible: true,
    show_bars: true,
    status: "operational",
    ...change,
  };
}

/** A page in two languages that was published once and changed since. */
export function makePage(change: Partial<Page> = {}): Page {
  return {
    id: pageId,
    slug: "service",
    titles: { en: "Example status", ru: "Статус Example" },
    descriptions: {},
    locales: ["en", "ru"],
    default_locale: "en",
    theme: { mode: "auto", accent: "#2563eb" },
    footers: {},
    groups: [],
    components: [makeComponent()],
    announcements: [],
    auto: { draft: true, publish: "never", min_severity: "critical" },
    revision: 4,
    published_revision: 3,
    published_at: at,
    data_at: at,
    address: "https://status.example.org",
    created_at: at,
    updated_at: at,
    ...change,
  };
}

export function makeNotice(change: Partial<Notice> = {}): Notice {
  return {
    id: noticeId,
    page_id: pageId,
    titles: { en: "Slow connections", ru: "Медленные соединения" },
    impact: "minor",
    state: "investigating",
    published: true,
    publish_at: null,
    drafted_from: "",
    component_ids: [componentId],
    updates: [{ id: "u1", at, state: "investigating", bodies: { en: "We are looking into it." }, by: "anna" }],
    started_at: at,
    resolved_at: null,
    revision: 2,
    ...change,
  };
}

export function makeWork(change: Partial<Maintenance> = {}): Maintenance {
  return {
    id: "01890000-0000-7000-8000-0000000000b1",
    page_id: pageId,
    titles: { en: "New servers" },
    bodies: { en: "Connections break for a minute." },
    starts_at: "2026-03-12T04:00:00Z",
    ends_at: "2026-03-12T05:00:00Z",
    component_ids: [],
    state: "planned",
    revision: 1,
    ...change,
  };
}

export function makeDeploy(change: Partial<Deploy> = {}): Deploy {
  return {
    id: deployId,
    page_id: pageId,
    revision: 4,
    state: "live",
    started_by: "anna",
    started_at: at,
    finished_at: at,
    targets: [
      {
        target_id: targetId,
        label: "Bucket",
        kind: "static_s3",
        address: "https://status.example.org",
        state: "live",
        error: "",
        files: 7,
        bytes: 40_000,
        sha256: "a".repeat(64),
      },
    ],
    operation_id: "",
    ...change,
  };
}

export function makeTarget(change: Partial<Target> = {}): Target {
  return {
    id: targetId,
    page_id: pageId,
    kind: "static_s3",
    label: "Bucket",
    enabled: true,
    config: { endpoint: "https://s3.example.org", bucket: "status", access_key: "AK", public_url: "https://x.example" },
    has_secret: true,
    address: "https://status.example.org",
    state: "live",
    last_deploy: makeDeploy(),
    data_at: at,
    error: "",
    ...change,
  };
}

export function makePreview(change: Partial<DeployPreview> = {}): DeployPreview {
  return {
    revision: 4,
    published_revision: 3,
    unchanged: false,
    files: [
      { path: "index.html", change: "changed", bytes: 9000 },
      { path: "assets/a.css", change: "same", bytes: 4000 },
    ],
    texts: [{ field: "titles.en", from: "Old status", to: "Example status" }],
    targets: [{ id: targetId, label: "Bucket", kind: "static_s3", address: "https://status.example.org" }],
    ...change,
  };
}

export { pageOf } from "@/testing/serve";
export const serve = serveUnder("/api/v1/statuspage");
