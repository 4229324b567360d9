// Generated from the permission and feature catalogue of the panel by "make generate". Do not edit.
export const permissionKeys = [
  "abuse.manage",
  "abuse.view",
  "accounts.manage",
  "accounts.view",
  "assistant.use",
  "audit.view",
  "backups.manage",
  "backups.view",
  "connection_units.apply",
  "connection_units.edit",
  "connection_units.policies",
  "connection_units.view",
  "core.cloud_providers",
  "dns.manage",
  "dns.view",
  "geo_assets.manage",
  "geo_assets.view",
  "health.manage",
  "health.view",
  "license.manage",
  "nodes.edit",
  "nodes.view",
  "notifications.manage",
  "notifications.view",
  "proxypanel.manage",
  "proxypanel.view",
  "settings.manage",
  "statuspage.deploy",
  "statuspage.view",
] as const;

export type PermissionKey = (typeof permissionKeys)[number];

export const featureKeys = [
  "abuse",
  "assistant",
  "backups",
  "cdndns",
  "flows",
  "geo",
  "health",
  "hosting",
  "notifications",
  "proxypanel",
  "statuspage",
] as const;

export type FeatureKey = (typeof featureKeys)[number];
