import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { findProgram } from '../scripts/lib/packages.mjs';
import { median, size } from '../test/stage/figures.mjs';
import { verdict } from './results.mjs';
import { onStage } from './stage.mjs';

const VISITS = size('WEB_VISITS', 9);
/** What the goals are, of docs/decisions/0045. */
const FIRST_PAINT_MS = 1_000;
const FIRST_LOAD_KB = 350;

/** How soon a browser that has nothing of `/app` yet paints it, and shows who is logged in; and what it loads for that. */
export const benchWeb = onStage(async (set, say) => {
  const executablePath = findProgram('chromium', 'chromium-browser', 'google-chrome');
  if (executablePath === null) {
    say('no chromium on PATH: left out');
    return [];
  }
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  set.onEnd(() => browser.close());
  const api = await set.start('api');
  const { client } = await set.signInAt(api);
  const visits = [];
  for (let visit = 0; visit < VISITS; visit++) {
    const context = await browser.newContext();
    await context.addInitScript(`sessionStorage.setItem('switchboard.token', '${client.token}')`);
    const page = await context.newPage();
    await page.goto(`${api.url}/app/account`);
    await page.locator('main h1').waitFor();
    const shown = await page.evaluate('performance.now()');
    const paint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0");
    visits.push({ shown, paint });
    await context.close();
  }
  const p50 = (key) => median(visits.map((visit) => visit[key]));
  const bytes = await firstLoad(api.url);
  say(`${VISITS} visits, each with an empty cache: ${visits.map(({ paint }) => paint.toFixed(0)).join(', ')} ms`);
  const goal = `at most ${FIRST_PAINT_MS}`;
  return [
    verdict('web, first paint of /app, ms', p50('paint'), goal, `of ${VISITS} visits`),
    verdict('web, a page with its data, ms', p50('shown'), goal, 'from the address to its heading'),
    verdict('web, first load, KB gzipped', bytes / 1024, `at most ${FIRST_LOAD_KB}`, 'all that the page names'),
  ];
});

/** Compressed size of everything that the page itself names. */
async function firstLoad(url) {
  const page = await (await fetch(`${url}/app`)).text();
  const names = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => new URL(name, `${url}/app`));
  const sizes = await Promise.all(
    names.map(async (name) => gzipSync(Buffer.from(await (await fetch(name)).arrayBuffer())).length),
  );
  return sizes.reduce((sum, one) => sum + one, gzipSync(page).length);
}
