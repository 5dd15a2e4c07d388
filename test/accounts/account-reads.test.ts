import type { ApplicationConfig } from '@nestjs/core';
import { JwtService } from '@nestjs/jwt';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AccessTokens } from '../../src/modules/accounts/authentication/access-tokens.js';
import { AccountDirectory } from '../../src/modules/accounts/index.js';
import { AccountStore } from '../../src/modules/accounts/accounts.store.js';
import { accountsOf, type Accounts } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';

const DAY_MS = 86_400_000;

let api: RunningApi;
let accounts: Accounts;

beforeAll(async () => {
  api = await startApi();
  accounts = accountsOf(api);
});
afterAll(() => api.stop());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const part = <T>(type: abstract new (...parameters: never[]) => T): T => api.app.get<T>(type, { strict: false });

describe('accounts that concurrent requests ask for', () => {
  it('are read in one statement, by name and by id', async () => {
    const [a, b] = [await accounts.account(), await accounts.account()];
    const [byName, byId] = [vi.spyOn(part(AccountStore), 'rowsByUsername'), vi.spyOn(part(AccountStore), 'rowsById')];
    const directory = part(AccountDirectory);
    const names = [a.username, b.username, a.username, 'no such name', `${b.username} `];
    const found = await Promise.all(names.map((name) => directory.byUsername(name)));
    expect(found.map((account) => account?.id)).toEqual([a.id, b.id, a.id, undefined, undefined]);
    expect(byName.mock.calls).toEqual([[[a.username, b.username, 'no such name', `${b.username} `]]]);
    const [c, d] = [await accounts.account(), await accounts.account()];
    const again = await Promise.all([d.id, c.id, 999_999].map((id) => directory.byId(id)));
    expect(again.map((account) => account?.username)).toEqual([d.username, c.username, undefined]);
    expect(byId.mock.calls).toEqual([[[d.id, c.id, 999_999]]]);
  });

  it('are not read again by id once they were found by name, unless they have changed', async () => {
    const account = await accounts.account();
    const byId = vi.spyOn(part(AccountStore), 'rowsById');
    const directory = part(AccountDirectory);
    const found = await directory.byUsername(account.username);
    expect(await directory.byId(account.id)).toBe(found);
    expect(byId).not.toHaveBeenCalled();
    directory.forget(account.id);
    expect((await directory.byId(account.id))?.username).toBe(account.username);
    expect(byId).toHaveBeenCalledOnce();
    directory.forget(account.id);
    const reading = directory.byUsername(account.username);
    directory.forget(account.id);
    await reading;
    await directory.byId(account.id);
    expect(byId).toHaveBeenCalledTimes(2);
  });
});

describe('a name that no account can have', () => {
  it('is not looked for: it could make the statement too long for all who share it', async () => {
    const account = await accounts.account();
    const read = vi.spyOn(part(AccountStore), 'rowsByUsername');
    const directory = part(AccountDirectory);
    const names = [account.username, 'x'.repeat(65), 'x'.repeat(64)];
    const found = await Promise.all(names.map((name) => directory.byUsername(name)));
    expect(found.map((each) => each?.id)).toEqual([account.id, undefined, undefined]);
    expect(read.mock.calls).toEqual([[[account.username, 'x'.repeat(64)]]]);
  });
});

describe('a token', () => {
  it('is verified once, and its expiry looked at every time', async () => {
    const account = await accounts.account();
    const token = accounts.token(account);
    const verify = vi.spyOn(part(JwtService), 'verify');
    const tokens = part(AccessTokens);
    expect(await tokens.remembered(token)).toBeUndefined();
    expect((await tokens.verified(token))?.id).toBe(account.id);
    expect((await tokens.verified(token))?.id).toBe(account.id);
    expect((await tokens.remembered(token))?.id).toBe(account.id);
    expect(verify).toHaveBeenCalledTimes(1);
    vi.useFakeTimers({ now: Date.now() + 7 * DAY_MS + 1_000, toFake: ['Date'] });
    expect(await tokens.remembered(token)).toBeNull();
    expect(await tokens.verified(token)).toBeNull();
  });

  it('that was refused is not remembered', async () => {
    const token = `${accounts.token(await accounts.account())}x`;
    expect(await part(AccessTokens).verified(token)).toBeNull();
    expect(await part(AccessTokens).remembered(token)).toBeUndefined();
  });
});

describe('the guards of every route', () => {
  it('say who acts, then whether that may be, count it, and then read the body; the last refuses nothing', () => {
    const { config } = api.app as unknown as { config: ApplicationConfig };
    const guards = config.getGlobalGuards().map((guard) => guard.constructor.name);
    expect(guards).toEqual(['AuthenticationGuard', 'RightsGuard', 'RateLimitGuard', 'BodyGuard', 'FieldWarnings']);
  });
});
