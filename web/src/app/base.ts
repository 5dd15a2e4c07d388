/**
 * What stands before `/app` in the address: nothing, the path of PUBLIC_URL, or the prefix of a cell. Taken from where
 * this very code was loaded from, so nothing has to be configured.
 */
export const BASE = new URL(import.meta.url).pathname.replace(/\/app\/assets\/[^/]*$/i, '');

/** Pages that links of e-mails lead to, and the question for such a link: they need no session. */
const LINK_PATHS = ['/join', '/new-password'];
const FORGOT_PATH = '/forgot-password';
const REGISTER_PATH = '/register';

const isAt = (pathname: string, path: string): boolean => pathname.replace(/\/$/, '') === `${BASE}/app${path}`;

export const isLinkPath = (pathname: string): boolean => LINK_PATHS.some((path) => isAt(pathname, path));

export const isForgotPath = (pathname: string): boolean => isAt(pathname, FORGOT_PATH);

export const isRegisterPath = (pathname: string): boolean => isAt(pathname, REGISTER_PATH);
