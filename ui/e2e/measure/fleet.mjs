// Measures the web interface over a large fleet in Chromium: `fleet.mjs URL SECONDS FLOW`, with the session on standard
// input, the path of the browser in CHROMIUM and the id of a flow whose drawing is large. Prints one line of JSON.
// Nothing is judged here.
import { readFileSync, readdirSync } from "node:fs";
import { chromium } from "playwright-core";

const [url, seconds, flow] = [process.argv[2], Number(process.argv[3]), process.argv[4]];
const token = readFileSync(0, "utf8").trim();
const slower = 4;
const quiet = 500;
const kb = 1000;

const server = await chromium.launchServer({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"],
});
const browser = await chromium.connect(server.wsEndpoint());

async function context(signedIn) {
  const made = await browser.newContext({ viewport: { width: 1360, height: 860 }, locale: "en-US" });
  if (signedIn) await made.addInitScript((session) => sessionStorage.setItem("panel-session", session), token);
  return made;
}

/** What the first route asks for in an empty cache. */
async function firstRoute() {
  const where = await context(false);
  const page = await where.newPage();
  const cdp = await where.newCDPSession(page);
  await cdp.send("Network.enable");
  let [requests, script] = [0, 0];
  const scripts = new Set();
  cdp.on("Network.requestWillBeSent", ({ request }) => (requests += request.url.startsWith(url) ? 1 : 0));
  cdp.on("Network.responseReceived", ({ requestId, type }) => type === "Script" && scripts.add(requestId));
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) script += encodedDataLength;
  });
  await page.goto(`${url}/login`, { waitUntil: "networkidle" });
  await page.getByLabel("Username").waitFor();
  await where.close();
  return { first_requests: requests, first_script_kb: script / kb };
}

/**
 * Milliseconds until a page on a slower processor shows its content and the main thread has no more long tasks, and the
 * work of that thread; the files are in the cache, as on every visit but the first.
 */
async function interactive(path, ready) {
  const where = await context(true);
  const page = await where.newPage();
  await page.goto(url + path);
  await page.locator(ready).first().waitFor();
  await page.waitForTimeout(2_000);
  await page.goto("about:blank");
  const cdp = await where.newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: slower });
  await page.addInitScript(
    ([selector]) => {
      window.measured = { shown: 0, busy: 0 };
      new PerformanceObserver((list) => {
        for (const task of list.getEntries()) window.measured.busy = task.startTime + task.duration;
      }).observe({ type: "longtask", buffered: true });
      const look = () => {
        if (document.querySelector(selector)) window.measured.shown = performance.now();
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    },
    [ready],
  );
  const busy = await mainThread(cdp);
  const before = await busy();
  await page.goto(url + path);
  await page.waitForFunction(
    (still) => {
      const { shown, busy } = window.measured;
      return shown > 0 && performance.now() - Math.max(shown, busy) > still;
    },
    quiet,
    { timeout: 60_000, polling: 100 },
  );
  const after = await busy();
  const { shown, busy: until } = await page.evaluate(() => window.measured);
  await where.close();
  // A page that comes in a process of its own counts from zero.
  const work = 1_000 * (after < before ? after : after - before);
  return { shown, interactive: Math.max(shown, until), work };
}

/** Opens a page several times: what else the machine does moves one opening by a third. */
async function openings(path, ready) {
  const all = [];
  for (let opened = 0; opened < 5; opened++) all.push(await interactive(path, ready));
  return all;
}

/** Processor seconds of the browser with all its processes. */
function processorSeconds() {
  const stats = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      stats.set(Number(pid), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // It has ended meanwhile.
    }
  }
  const root = server.process().pid;
  const inside = (pid) => pid === root || (stats.has(pid) && inside(stats.get(pid).parent));
  return [...stats].reduce((sum, [pid, { ticks }]) => sum + (inside(pid) ? ticks / 100 : 0), 0);
}

/**
 * Gives a function that tells the processor seconds of a page's main thread: a thread that waits for a processor, which
 * others have, is not busy.
 */
async function mainThread(cdp) {
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () =>
    (await cdp.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
}

async function heap(cdp) {
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  return usedSize / kb / kb;
}

/** The middle of a row's box that stands between what sticks at the top and at the bottom. */
function boxInSight(page) {
  return page.evaluate(() => {
    for (const box of document.querySelectorAll("tbody input[type=checkbox]")) {
      const { x, y, top, bottom, width, height } = box.getBoundingClientRect();
      if (top > 160 && bottom < innerHeight - 80) return { x: x + width / 2, y: y + height / 2 };
    }
    return undefined;
  });
}

/** Waits until the next frame has been drawn. */
function drawn(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** The one of so many that one in fifty exceeds. */
function nearlyAll(values) {
  return [...values].sort((a, b) => b - a)[Math.floor(values.length / 50)] ?? 0;
}

/**
 * The slowest answer to a person, by the clock and by the work of the main thread from an input until it is drawn, the
 * rows in the document, the memory and the processor while the fleet lives.
 */
async function living() {
  const where = await context(true);
  const page = await where.newPage();
  await page.addInitScript(() => {
    window.answers = new Map();
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries()) {
        if (interactionId)
          window.answers.set(interactionId, Math.max(window.answers.get(interactionId) ?? 0, duration));
      }
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
  });
  await page.goto(`${url}/nodes`);
  await page.locator("tr[data-row]").first().waitFor();
  const cdp = await where.newCDPSession(page);
  const busy = await mainThread(cdp);
  let rows = 0;
  const works = [];
  const worked = async (input) => {
    const before = await busy();
    await input();
    await drawn(page);
    works.push(1_000 * ((await busy()) - before));
  };
  const act = async () => {
    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, 4_000);
    const box = await boxInSight(page);
    if (box) await worked(() => page.mouse.click(box.x, box.y));
    await worked(() => page.keyboard.press("j"));
    await page.mouse.wheel(0, -20_000);
    rows = Math.max(rows, await page.locator("tr").count());
  };
  const more = page.getByRole("button", { name: /^(Load|Show) .*more/ });
  for (let pages = 0; pages < 10 && (await more.count()) > 0; pages++) {
    await more.click();
    await page.waitForTimeout(500);
  }
  for (let round = 0; round < 5; round++) await act();
  await page.waitForTimeout(15_000);
  const [memory, main, all, began] = [await heap(cdp), await busy(), processorSeconds(), Date.now()];
  const step = Math.max(5_000, (seconds * 1_000) / 60);
  let used = { main: 0, all: 0, time: 0 };
  while (Date.now() - began < seconds * 1_000) {
    await page.waitForTimeout(step);
    const left = { main: await busy(), all: processorSeconds(), at: Date.now() };
    used = { main: left.main - main, all: left.all - all, time: (left.at - began) / 1_000 };
    await act();
  }
  const grown = (await heap(cdp)) - memory;
  const answers = (await page.evaluate(() => [...window.answers.values()])).sort((a, b) => b - a);
  const loaded = await page.locator("table").first().getAttribute("aria-rowcount");
  await where.close();
  return {
    rows,
    loaded: Number(loaded) - 1,
    // Interaction to next paint: one of fifty may be slower.
    answer_ms: nearlyAll(answers),
    answer_work_ms: nearlyAll(works),
    slowest_ms: answers[0] ?? 0,
    heap_mb: memory,
    heap_growth_mb: grown,
    main_thread_pct: (100 * used.main) / used.time,
    all_processes_pct: (100 * used.all) / used.time,
  };
}

/** A point of the canvas where no block and no tool stands. */
function emptyPoint(page) {
  return page.evaluate(() => {
    const pane = document.querySelector(".react-flow__pane");
    const { left, top, width, height } = pane.getBoundingClientRect();
    for (let x = left + 10; x < left + width; x += 20)
      for (let y = top + 60; y < top + height; y += 20) if (document.elementFromPoint(x, y) === pane) return { x, y };
    throw new Error("the canvas has no empty point");
  });
}

/** The time until a large drawing stands arranged after the key, and the work of the main thread for a frame of panning. */
async function drawing() {
  const where = await context(true);
  const page = await where.newPage();
  await page.addInitScript(() => {
    window.answered = 0;
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries())
        if (name === "keydown") window.answered = Math.max(window.answered, duration);
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
  });
  await page.goto(`${url}/flows/${flow}/graph`);
  await page.locator(".react-flow__node").first().waitFor();
  await page.waitForTimeout(3_000);
  const { x, y } = await emptyPoint(page);
  await page.mouse.click(x, y);
  await page.keyboard.press("l");
  await page.waitForTimeout(2_000);
  const cdp = await where.newCDPSession(page);
  const busy = await mainThread(cdp);
  const start = await emptyPoint(page);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.evaluate(() => {
    window.frames_drawn = 0;
    const count = () => {
      window.frames_drawn += 1;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
  const [before, began] = [await busy(), Date.now()];
  for (let step = 0; step < 180; step++) {
    const turn = (step / 60) * Math.PI;
    await page.mouse.move(start.x + 300 * Math.sin(turn), start.y + 120 * Math.sin(turn / 2));
    await page.waitForTimeout(12);
  }
  const [used, took] = [(await busy()) - before, Date.now() - began];
  await page.mouse.up();
  const frames = await page.evaluate(() => window.frames_drawn);
  const seen = {
    blocks: await page.locator(".react-flow__node").count(),
    arranged_ms: await page.evaluate(() => window.answered),
    frame_ms: (1_000 * used) / frames,
    frames_per_second: (1_000 * frames) / took,
  };
  await where.close();
  return seen;
}

try {
  const first = await firstRoute();
  const overview = await openings("/", "[class*=figureValue]:not(:empty)");
  const nodes = await openings("/nodes", "tr[aria-rowindex='15']");
  console.log(JSON.stringify({ ...first, overview, nodes, drawing: await drawing(), live: await living() }));
} finally {
  await browser.close();
  await server.close();
}
