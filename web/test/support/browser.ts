import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findChromium, openBrowser } from '../../../test/support/browser.js';
import { Client } from '../../../test/support/client.js';
import { commonService, type Service } from '../../../test/support/processes.js';

/** Without a Chromium (and no right to install one) browser tests are left out. */
export const hasBrowser = findChromium() !== null;

/** Who looks at a page: the first admin, the demo account, and a reseller made for the tests. */
export type Role = 'staff' | 'reseller' | 'owner';
export type Theme = 'light' | 'dark';

/** Login of each. */
export const LOGINS: Readonly<Record<Role, readonly [username: string, password: string]>> = {
  staff: ['admin', 'Admin-1234!'],
  reseller: ['web.reseller', 'Sunny-Day-7!'],
  owner: ['demo', 'Demo-1234!'],
};
export const WIDE = 1440;
export const NARROW = 390;
const HEIGHTS: Readonly<Record<number, number>> = { [WIDE]: 900, [NARROW]: 844 };
const PATIENCE_MS = Number(process.env['WEB_PATIENCE_MS'] ?? 60_000);

/** The application in a browser of its own, logged in. */
export interface OpenedApp {
  page: Page;
  context: BrowserContext;
  /** what went wrong in the page: its own errors, and what the console says of errors and of the policy */
  faults: string[];
  /** goes to a page of the application, such as `/campaigns` */
  go: (path: string) => Promise<void>;
  close: () => Promise<void>;
}

export interface WebService {
  service: Service;
  /** the API as each of the three */
  clients: Readonly<Record<Role, Client>>;
}

let browser: Promise<Browser> | undefined;
let started: Promise<WebService> | undefined;

/** One service for all files of a run, with the three accounts. */
export const webService = (): Promise<WebService> => (started ??= begin());

async function begin(): Promise<WebService> {
  const service = await commonService(1);
  const staff = await Client.login(service.url, ...LOGINS.staff);
  const [username, password] = LOGINS.reseller;
  await staff.call('POST', '/v6/api/admin/accounts', {
    username,
    password,
    firstname: 'Web',
    lastname: 'Reseller',
    email: 'web.reseller@example.com',
    user_type: 'reseller',
    current_password: LOGINS.staff[1],
  });
  const client = (role: Role) => Client.login(service.url, ...LOGINS[role]);
  return { service, clients: { staff, reseller: await client('reseller'), owner: await client('owner') } };
}

const tokens = new Map<Role, Promise<string>>();

/** A token for a role; one login serves all tests of a run. */
const tokenOf = (role: Role): Promise<string> => {
  const known = tokens.get(role) ?? webService().then(({ clients }) => clients[role].token);
  tokens.set(role, known);
  return known;
};

/**
 * Opens the application in a browser context of its own.
 * @param role null: nobody is logged in
 */
export async function openApp({
  role,
  theme = 'light',
  width = WIDE,
  path = '/',
}: {
  role: Role | null;
  theme?: Theme;
  width?: number;
  path?: string;
}): Promise<OpenedApp> {
  const { service } = await webService();
  browser ??= openBrowser();
  const context = await (
    await browser
  ).newContext({
    viewport: { width, height: HEIGHTS[width] ?? 900 },
    colorScheme: theme,
    permissions: ['clipboard-read', 'clipboard-write'],
    baseURL: service.url,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} (${message.location().url})`);
  });
  if (role !== null) {
    const token = await tokenOf(role);
    // once: a test that logs out stays so
    await context.addInitScript(
      `if (!sessionStorage.getItem('test.begun')) { sessionStorage.setItem('test.begun', '1'); sessionStorage.setItem('switchboard.token', ${JSON.stringify(token)}); }`,
    );
  }
  const go = async (to: string): Promise<void> => {
    await page.goto(`/app${to}`);
    await page
      .locator(role === null ? '#login-title' : 'main h1')
      .first()
      .waitFor();
  };
  await go(path);
  return { page, context, faults, go, close: () => context.close() };
}

/** True when no part of the page stands beyond its width. */
export const fitsWidth = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth <= innerWidth');
