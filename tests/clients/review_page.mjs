// Opens review pages in Chromium and prints what is wrong with them, as JSON. Standard input is a JSON object:
// {"packages": DIRECTORY, "chromium": PROGRAM, "pages": [{"name", "file"}], "screenshots": DIRECTORY or null}.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { packages, chromium: executablePath, pages, screenshots } = JSON.parse(readFileSync(0, "utf8"));
const require = createRequire(join(packages, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const VIEWS = [
  { view: "light", colorScheme: "light", viewport: { width: 1280, height: 1000 } },
  { view: "dark", colorScheme: "dark", viewport: { width: 1280, height: 1000 } },
  { view: "phone", colorScheme: "light", viewport: { width: 390, height: 1000 } },
];

const problems = [];
const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
  ],
});

/** Opens a page and reports whatever it does on its own. */
async function open(name, file, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const address = pathToFileURL(file).href;
  const report = (what, text) => problems.push(`${name}: ${what}: ${text}`);
  page.on("dialog", (dialog) => { report("dialog", dialog.message()); dialog.dismiss(); });
  page.on("console", (message) => report("console", message.text()));
  page.on("pageerror", (error) => report("error", error.message));
  page.on("popup", (popup) => report("popup", popup.url()));
  page.on("request", (request) => {
    if (request.url() !== address) report("request", request.url());
  });
  await page.goto(address);
  return { context, page, report };
}

/** Everything that a reader can open, open. */
const openAll = () => document.querySelectorAll("details").forEach((one) => { one.open = true; });

/** Faults that need no library: the width, broken links, elements that no page of guard has. */
function look() {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    const wide = [...document.querySelectorAll("main *")].find((one) => one.getBoundingClientRect().right > root.clientWidth + 1);
    faults.push(`${root.scrollWidth} wide in ${root.clientWidth}: ${wide?.outerHTML.slice(0, 200)}`);
  }
  for (const link of document.querySelectorAll("a")) {
    const target = link.getAttribute("href");
    if (target?.startsWith("https://github.com/runs/runs/")) continue;
    if (!target?.startsWith("#") || !document.getElementById(target.slice(1))) faults.push(`link to ${target}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  for (const id of ids.filter((id, at) => ids.indexOf(id) !== at)) faults.push(`two elements have the id ${id}`);
  for (const one of document.querySelectorAll("script,img,svg,iframe,link,form,object,embed,base,[onclick],[onload],[onerror],[onfocus],[style]")) {
    faults.push(`element ${one.outerHTML.slice(0, 200)}`);
  }
  if (document.querySelectorAll("style").length !== 1) faults.push("not one style sheet");
  if (getComputedStyle(document.body).marginTop !== "0px") faults.push("the style sheet does not apply");
  const sections = [...document.querySelectorAll("main > section")].map((one) => one.id);
  const stops = [...document.querySelectorAll(".toc a")].map((one) => one.getAttribute("href").slice(1));
  if (!sections.length || String(sections) !== String(stops)) faults.push(`sections ${sections}, but links to ${stops}`);
  if (getComputedStyle(document.querySelector(".toc")).position !== "sticky") faults.push("the navigation does not stick");
  if (getComputedStyle(root).scrollBehavior !== "auto") faults.push("smooth scroll");
  return faults;
}

for (const { name, file } of pages) {
  for (const { view, ...options } of VIEWS) {
    const { context, page, report } = await open(`${name}, ${view}`, file, options);
    if (screenshots) {
      await page.screenshot({ path: join(screenshots, `${name}-${view}.png`) });
      if (view === "light") {
        await page.locator("#map").scrollIntoViewIfNeeded();
        await page.evaluate(() => document.getElementById("map").scrollIntoView({ behavior: "instant" }));
        await page.screenshot({ path: join(screenshots, `${name}-map.png`) });
      }
    }
    const { scrollHeight } = await page.evaluate(() => ({ scrollHeight: document.documentElement.scrollHeight }));
    if (view !== "phone" && scrollHeight > 15000) report("page", `${scrollHeight} pixels high`);
    await page.evaluate(openAll);
    for (const fault of await page.evaluate(look)) report("page", fault);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    for (const { id, nodes } of violations) report("axe", `${id}: ${nodes.length} times, first ${nodes[0].html.slice(0, 200)}`);
    await context.close();
  }

  // With the keyboard alone: the first stop skips to the content, and Enter opens what is folded.
  const { context, page, report } = await open(`${name}, keyboard`, file, { viewport: { width: 1200, height: 1000 } });
  await page.keyboard.press("Tab");
  if (await page.evaluate(() => document.activeElement.className) !== "skip") report("keyboard", "the first stop is not the link to the content");
  const summary = page.locator("#map summary").first();
  if (await summary.count()) {
    const isOpen = () => summary.evaluate((one) => one.parentElement.open);
    const before = await isOpen();
    await summary.focus();
    await page.keyboard.press("Enter");
    if (await isOpen() === before) report("keyboard", "Enter does not fold a directory");
  }
  await context.close();

  // Without scripts the same text is there.
  const plain = await open(`${name}, without scripts`, file, { javaScriptEnabled: false });
  if (!(await plain.page.locator("h1").innerText()).trim()) plain.report("page", "no heading");
  await plain.context.close();
}
await browser.close();
console.log(JSON.stringify(problems));
