import { beforeEach, describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import type { Draft } from "../../shared/api";
import { createAutosave, saveAfter } from "./autosave";
import type { Drawing } from "../../drawing/drawing";
import { addBlock, setField } from "../../drawing/drawing-edits";
import { createDraftStore } from "./draft-store";
import { europe, moment } from "../../testing/places";
import { keptDraft } from "./stored-draft";
import { nextSaving, sameDrawing, type RemoteDraft } from "./saving";

const remote = (revision: number, graph: Drawing = europe): RemoteDraft => ({
  revision,
  graph,
  updated_at: moment,
  updated_by: "anna",
});
const draftOf = (revision: number, graph: Drawing = europe): Draft => ({
  ...remote(revision, graph),
  flow_id: "f",
  problems: [],
});
const renamed = (name: string) => setField(europe, "entry", "title", name);

describe("what a save means", () => {
  it("takes over another's save while nothing of ours waits, and asks when something does", () => {
    const saved = nextSaving({ kind: "loading" }, { type: "loaded", draft: remote(3) });
    expect(saved).toMatchObject({ kind: "saved", revision: 3 });
    expect(nextSaving(saved, { type: "seen", draft: remote(4), current: europe })).toMatchObject({
      kind: "saved",
      revision: 4,
    });
    const edited = nextSaving(saved, { type: "edited" });
    expect(
      nextSaving(edited, { type: "seen", draft: remote(4, renamed("theirs")), current: renamed("mine") }),
    ).toMatchObject({ kind: "conflict" });
  });

  it("keeps kept work after a reload and sees that the panel moved on", () => {
    const kept = { revision: 3, drawing: renamed("mine") };
    expect(nextSaving({ kind: "loading" }, { type: "loaded", draft: remote(3), kept })).toMatchObject({
      kind: "unsaved",
      revision: 3,
    });
    expect(nextSaving({ kind: "loading" }, { type: "loaded", draft: remote(5), kept })).toMatchObject({
      kind: "conflict",
    });
    expect(nextSaving({ kind: "loading" }, { type: "loaded", draft: remote(5, kept.drawing), kept })).toMatchObject({
      kind: "saved",
      revision: 5,
    });
  });

  it("does not count empty values as a difference", () => {
    const empty = { ...europe, edges: europe.edges.map((edge) => ({ ...edge, match: edge.match ?? { domain: [] } })) };
    expect(sameDrawing(europe, empty)).toBe(true);
    expect(sameDrawing(europe, renamed("other"))).toBe(false);
  });
});

describe("autosave", () => {
  beforeEach(() => {
    localStorage.clear();
    vi.useFakeTimers();
  });

  const open = (
    save: (revision: number, drawing: Drawing) => Promise<Draft>,
    read = () => Promise.resolve(draftOf(9, renamed("theirs"))),
  ) => {
    const store = createDraftStore();
    const calls: number[] = [];
    const autosave = createAutosave("f", store, {
      save: (_, revision, drawing) => {
        calls.push(revision);
        return save(revision, drawing);
      },
      read,
    });
    autosave.receive(remote(3));
    return {
      store,
      autosave,
      calls,
      edit: (name: string) => store.getState().edit((now) => setField(now, "entry", "title", name)),
    };
  };

  it("saves once, 800 ms after the last edit, with the revision the edit was made on", async () => {
    const { autosave, calls, edit } = open((revision, drawing) => Promise.resolve(draftOf(revision + 1, drawing)));
    edit("a");
    await vi.advanceTimersByTimeAsync(saveAfter - 100);
    edit("b");
    await vi.advanceTimersByTimeAsync(saveAfter);
    expect(calls).toEqual([3]);
    expect(autosave.state.getState()).toMatchObject({ kind: "saved", revision: 4 });
    expect(keptDraft("f")).toBeUndefined();
  });

  it("hands a private key over and forgets it: neither the drawing nor the browser keeps it", async () => {
    const kept = (drawing: Drawing) => setField(setField(drawing, "entry", own, undefined), "entry", half, "public");
    const [own, half] = ["params.listener.reality.private_key", "params.listener.reality.public_key"];
    const sent: Drawing[] = [];
    const { store } = open((revision, drawing) => {
      sent.push(drawing);
      return Promise.resolve(draftOf(revision + 1, kept(drawing)));
    });
    store.getState().edit((now) => setField(now, "entry", own, "secret"));
    expect(JSON.stringify(localStorage)).not.toContain("secret");
    await vi.advanceTimersByTimeAsync(saveAfter);
    expect(JSON.stringify(sent)).toContain("secret");
    expect(JSON.stringify(store.getState().drawing)).not.toContain("secret");
    expect(JSON.stringify(store.getState().drawing)).toContain('"public_key":"public"');
  });

  it("tells the panel which version was loaded into the draft, with that save alone", async () => {
    const store = createDraftStore();
    const versions: (string | undefined)[] = [];
    const save = (_: string, revision: number, drawing: Drawing, version?: string) => {
      versions.push(version);
      return Promise.resolve(draftOf(revision + 1, drawing));
    };
    const autosave = createAutosave("f", store, { save, read: () => Promise.resolve(draftOf(9, renamed("theirs"))) });
    autosave.receive(remote(3));
    store.getState().edit((now) => setField(now, "entry", "title", "old"));
    await autosave.flush("v-1");
    store.getState().edit((now) => setField(now, "entry", "title", "new"));
    await vi.advanceTimersByTimeAsync(saveAfter);
    expect(versions).toEqual(["v-1", undefined]);
  });

  it("keeps unsaved work in the browser until it is stored, and tries again while offline", async () => {
    let reachable = false;
    const { autosave, edit } = open((revision, drawing) =>
      reachable
        ? Promise.resolve(draftOf(revision + 1, drawing))
        : Promise.reject(new Problem({ status: 0, code: "unreachable" })),
    );
    edit("a");
    await vi.advanceTimersByTimeAsync(saveAfter);
    expect(autosave.state.getState().kind).toBe("offline");
    expect(keptDraft("f")?.drawing.nodes[0]!.title).toBe("a");
    reachable = true;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(autosave.state.getState()).toMatchObject({ kind: "saved", revision: 4 });
  });

  it("offers both outcomes of a revision conflict", async () => {
    let revisions = 9;
    const save = (revision: number, drawing: Drawing) =>
      revision === revisions
        ? Promise.resolve(draftOf(++revisions, drawing))
        : Promise.reject(new Problem({ status: 409, code: "revision_conflict" }));
    const mine = open(save);
    mine.edit("mine");
    await vi.advanceTimersByTimeAsync(saveAfter);
    expect(mine.autosave.state.getState()).toMatchObject({ kind: "conflict", theirs: { revision: 9 } });
    mine.autosave.keepMine();
    await vi.advanceTimersByTimeAsync(saveAfter);
    expect(mine.autosave.state.getState()).toMatchObject({ kind: "saved", revision: 10 });
    expect(mine.store.getState().drawing.nodes[0]!.title).toBe("mine");

    localStorage.clear();
    const theirs = open(() => Promise.reject(new Problem({ status: 409, code: "revision_conflict" })));
    theirs.edit("mine");
    await vi.advanceTimersByTimeAsync(saveAfter);
    theirs.autosave.takeTheirs();
    expect(theirs.store.getState().drawing.nodes[0]!.title).toBe("theirs");
    expect(theirs.autosave.state.getState()).toMatchObject({ kind: "saved", revision: 9 });
  });

  it("does not repeat what the panel refuses", async () => {
    const { autosave, calls, edit } = open(() =>
      Promise.reject(new Problem({ status: 403, code: "license_read_only" })),
    );
    edit("a");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toHaveLength(1);
    expect(autosave.state.getState().kind).toBe("refused");
  });
});

describe("undo", () => {
  it("goes back fifty steps and forward again, and never over what the panel sent", () => {
    let clock = 0;
    const store = createDraftStore(() => (clock += 1000));
    store.getState().adopt(europe);
    for (let step = 0; step < 60; step += 1) store.getState().edit((now) => addBlock(now, "exit").drawing);
    const { undo, redo } = store.temporal.getState();
    for (let step = 0; step < 70; step += 1) undo();
    expect(store.getState().drawing.nodes).toHaveLength(europe.nodes.length + 10);
    redo(3);
    expect(store.getState().drawing.nodes).toHaveLength(europe.nodes.length + 13);
  });

  it("takes typing in one field as one step", () => {
    let clock = 0;
    const store = createDraftStore(() => (clock += 50));
    store.getState().adopt(europe);
    clock += 5000;
    for (const name of ["a", "ab", "abc"]) store.getState().edit((now) => setField(now, "entry", "title", name));
    store.temporal.getState().undo();
    expect(store.getState().drawing.nodes[0]!.title).toBe("Moscow entry");
  });
});
