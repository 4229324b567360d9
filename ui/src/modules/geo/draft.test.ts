import { describe, expect, it } from "vitest";
import { addedAsset, changedAsset, chosen, draftOf } from "./draft";
import { makeAsset, presets } from "./testing";

describe("the draft of a file", () => {
  const fresh = chosen(draftOf(undefined), {}, presets);

  it("begins with the addresses of the first preset", () => {
    expect(fresh).toMatchObject({
      file: "geosite",
      name: "geosite.dat",
      source_url: "https://v2fly.example.com/geosite.dat",
      checksum_url: "https://v2fly.example.com/geosite.dat.sha256sum",
    });
  });

  it("takes the name and the addresses of another file", () => {
    const geoip = chosen({ ...fresh, preset: "loyalsoldier" }, { file: "geoip" }, presets);
    expect(geoip).toMatchObject({ preset: "v2fly", name: "geoip.dat" });
    expect(geoip.source_url).toBe("https://v2fly.example.com/geoip.dat");
  });

  it("of an own address is empty, and keeps what was typed", () => {
    const own = chosen(fresh, { preset: "custom" }, presets);
    expect(own).toMatchObject({ name: "geosite.dat", source_url: "", checksum_url: "" });
    const typed = { ...own, source_url: "https://own.example/x.dat" };
    expect(chosen(typed, { file: "custom" }, presets)).toMatchObject({
      name: "",
      preset: "custom",
      source_url: "https://own.example/x.dat",
    });
  });

  it("has no preset where none knows such a file", () => {
    expect(chosen(fresh, { file: "mmdb" }, presets)).toMatchObject({ preset: "custom", name: "", source_url: "" });
  });

  it("is sent without spaces around, and fetched at once", () => {
    expect(addedAsset({ ...fresh, cron: " 0 4 * * * ", source_url: " https://x.example/a " })).toEqual({
      file: "geosite",
      preset: "v2fly",
      name: "geosite.dat",
      source_url: "https://x.example/a",
      checksum_url: "https://v2fly.example.com/geosite.dat.sha256sum",
      schedule: { enabled: true, cron: "0 4 * * *" },
      pinned: false,
      update: true,
    });
  });

  it("of a database of places says whether nodes hold it", () => {
    const places = { ...chosen(fresh, { file: "mmdb" }, presets), name: "country.mmdb" };
    expect(addedAsset(places)).toMatchObject({ file: "mmdb", on_nodes: true });
    expect(addedAsset({ ...places, on_nodes: false })).toMatchObject({ on_nodes: false });
    expect(addedAsset(fresh)).not.toHaveProperty("on_nodes");
  });

  it("of one that is there names the revision that it starts from, and neither name nor kind", () => {
    const asset = makeAsset({ pinned: true });
    expect(changedAsset(draftOf(asset), asset)).toEqual({
      preset: "v2fly",
      source_url: asset.source_url,
      checksum_url: asset.checksum_url,
      schedule: asset.schedule,
      pinned: true,
      revision: 4,
    });
  });
});
