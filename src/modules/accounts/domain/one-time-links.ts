import { createHash, randomBytes } from 'node:crypto';

/** What a link is for: to join an account, or to set a new password. */
export type LinkPurpose = 'invitation' | 'password';

const HOUR_MS = 3_600_000;

/** How long a link is good. */
export const LINK_LIFE_MS: Readonly<Record<LinkPurpose, number>> = { invitation: 72 * HOUR_MS, password: 24 * HOUR_MS };

const BYTES = 32;
const FORM = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits: the digest needs no salt and no slow hash. */
export const newLinkToken = (): string => randomBytes(BYTES).toString('base64url');

/** A cheap check of the form before a look-up. */
export const isLinkToken = (text: unknown): text is string => typeof text === 'string' && FORM.test(text);

/** The stored form of a link's token: SHA-256. */
export const linkDigest = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The page of the application that takes the token. It stands behind `#`: no server and no log sees it. */
export const linkPath = (purpose: LinkPurpose, token: string): string =>
  `/app/${purpose === 'invitation' ? 'join' : 'new-password'}#${token}`;

interface Dated {
  passwordChangedAt: Date;
}

/**
 * When a link counts as made: not before the last password change of its maker and of its login, which stand a second ahead
 * (`passwordChange`). A later change ends the link, like a token.
 */
export const linkMadeAt = (at: Date, ...logins: readonly Dated[]): Date =>
  new Date(Math.max(at.getTime(), ...logins.map(({ passwordChangedAt }) => passwordChangedAt.getTime())));

/** True once one of these logins has a later password than the link. */
export const isLinkOutdated = (madeAt: Date, ...logins: readonly Dated[]): boolean =>
  logins.some(({ passwordChangedAt }) => madeAt.getTime() < passwordChangedAt.getTime());
