/**
 * What stands before `/app` in the address: nothing, the path of PUBLIC_URL, or the prefix of a cell. Taken from where
 * this very code was loaded from, so nothing has to be configured.
 */
export const BASE = new URL(import.meta.url).pathname.replace(/\/app\/assets\/[^/]*$/i, '');
