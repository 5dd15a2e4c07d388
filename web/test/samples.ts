import type { Client } from '../../test/support/client.js';
import type { Role } from './support/browser.js';

/** The API as each of the three roles, for what a page needs to be there. */
type Clients = Readonly<Record<Role, Client>>;

/**
 * Values for the `$parameters` of pages, by the page's path: made once, before the walk through all pages. A feature adds
 * its own here, and may leave other things in sight.
 */
export const SAMPLES: Readonly<Record<string, (clients: Clients) => Promise<Readonly<Record<string, string>>>>> = {};
