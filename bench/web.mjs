import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { findProgram } from '../scripts/lib/packages.mjs';
import { benchAccount, median, size, stage, verdict } from './stage.mjs';

const VISITS = size('WEB_VISITS', 9);
/** What the goals are, of docs/decisions/0045. */
const FIRST_PAINT_MS = 1_000;
const FIRST_LOAD_KB = 350;

/** How soon a browser that has nothing of `/app` yet paints it, and shows who is logged in; and what it loads for that. */
export async function benchWeb(environment, say) {
  const executablePath = findProgram('chromium', 'chromium-browser', 'google-chrome');
  if (executablePath === null) {
    say('no chromium on PATH: left out');
    return [];
  }
  const set = await stage(environment);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const { url } = await set.api();
    const { client } = await benchAccount(url);
    const paints = [];
    const shown = [];
    for (let visit = 0; visit < VISITS; visit++) {
      const context = await browser.newContext();
      await context.addInitScript(`sessionStorage.setItem('switchboard.token', '${client.token}')`);
      const page = await context.newPage();
      await page.goto(`${url}/app/account`);
      await page.locator('main h1').waitFor();
      shown.push(await page.evaluate('performance.now()'));
      paints.push(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"));
      await context.close();
    }
    const bytes = await firstLoad(url);
    say(`${VISITS} visits, each with an empty cache: ${paints.map((paint) => paint.toFixed(0)).join(', ')} ms`);
    return [
      verdict('web, first paint of /app, ms', median(paints), `at most ${FIRST_PAINT_MS}`, `of ${VISITS} visits`),
      verdict(
        'web, a page with its data, ms',
        median(shown),
        `at most ${FIRST_PAINT_MS}`,
        'from the address to its heading',
      ),
      verdict('web, first load, KB gzipped', bytes / 1024, `at most ${FIRST_LOAD_KB}`, 'all that the page names'),
    ];
  } finally {
    await browser.close();
    await set.close();
  }
}

/** Compressed size of everything that the page itself names. */
async function firstLoad(url) {
  const page = await (await fetch(`${url}/app`)).text();
  const names = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => new URL(name, `${url}/app`));
  const sizes = await Promise.all(
    names.map(async (name) => gzipSync(Buffer.from(await (await fetch(name)).arrayBuffer())).length),
  );
  return sizes.reduce((sum, one) => sum + one, gzipSync(page).length);
}
