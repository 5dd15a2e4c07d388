import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { findProgram } from '../scripts/lib/packages.mjs';
import { median, size } from '../test/stage/figures.mjs';
import { verdict } from './results.mjs';
import { onStage } from './stage.mjs';

const VISITS = size('WEB_VISITS', 9);
/** What the goals are, of docs/decisions/0045. */
const FIRST_PAINT_MS = 500;
const FIRST_LOAD_KB = 350;
const LOGIN_KB = 60;

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
    const loaded = [];
    page.on('response', (response) => {
      if (/\.(?:js|css)$/.test(new URL(response.url()).pathname)) loaded.push(response.body());
    });
    await page.goto(`${api.url}/app/account`);
    await page.locator('main h1').waitFor();
    const shown = await page.evaluate('performance.now()');
    const paint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0");
    const bytes = sizeOf(await Promise.all(loaded));
    visits.push({ shown, paint, bytes });
    await context.close();
  }
  const p50 = (key) => median(visits.map((visit) => visit[key]));
  const login = await loginLoad(api.url);
  say(`${VISITS} visits, each with an empty cache: ${visits.map(({ paint }) => paint.toFixed(0)).join(', ')} ms`);
  const goal = `at most ${FIRST_PAINT_MS}`;
  return [
    verdict('web, first paint of /app, ms', p50('paint'), goal, `of ${VISITS} visits`),
    verdict('web, a page with its data, ms', p50('shown'), goal, 'from the address to its heading'),
    verdict(
      'web, first load, KB gzipped',
      p50('bytes') / 1024,
      `at most ${FIRST_LOAD_KB}`,
      'until a page has its heading',
    ),
    verdict('web, the login, KB gzipped', login / 1024, `at most ${LOGIN_KB}`, 'all that the page names'),
  ];
});

const sizeOf = (bodies) => bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);

/** Compressed size of everything that the page itself names: with it the login shows. */
async function loginLoad(url) {
  const page = await (await fetch(`${url}/app`)).text();
  const names = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => new URL(name, `${url}/app`));
  return sizeOf([
    page,
    ...(await Promise.all(names.map(async (name) => Buffer.from(await (await fetch(name)).arrayBuffer())))),
  ]);
}
