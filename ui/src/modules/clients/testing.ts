import type { Client } from "./api";

export const client: Client = {
  id: "01890000-0000-7000-8000-000000000009",
  label: "Anna",
  note: "the red phone",
  tags: ["vip"],
  state: "active",
  enabled: true,
  expires_at: null,
  lasts_days: null,
  quota: null,
  limits: {},
  used: { up: 1_048_576, down: 2_097_152, since: "2026-03-10T15:02:00Z" },
  total: { up: 1_048_576, down: 2_097_152 },
  last_seen_at: null,
  online: false,
  owner_id: "01890000-0000-7000-8000-000000000001",
  has_public_link: false,
  flows: [
    {
      flow_id: "f-europe",
      flow_name: "Europe main",
      installed: true,
      by_apply: true,
      elsewhere: false,
      since: "2026-03-10T15:02:00Z",
      total: { up: 1, down: 2 },
    },
    {
      flow_id: "f-asia",
      flow_name: "Asia main",
      installed: false,
      by_apply: true,
      elsewhere: false,
      since: "2026-03-10T15:02:00Z",
      total: { up: 1, down: 2 },
    },
  ],
  revoked_at: null,
  created_at: "2026-03-10T15:02:00Z",
  updated_at: "2026-03-10T15:02:00Z",
  revision: 3,
};

/** What the panel answers, as the caller of the API sees it. */
export const answers = (body: object, status = 200) =>
  ({
    response: new Response(null, { status }),
    ...(status < 300 ? { data: body } : { error: { status, ...body } }),
  }) as never;

export const flowNames = { items: [{ id: "f-europe", name: "Europe main" }], next_cursor: null, total: 1 };
