-- Which integration with a CDN a binding of the mode cdn leads through; null for the network of its DNS service.
alter table node_domains add column cdn_integration_id uuid;
