import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Metrics } from '../../platform/observability/index.js';
import { type CellName, EVERY_CELL } from '../cell-directory/index.js';
import { CellChooser } from './cell-chooser.js';
import { CellList } from './cell-list.js';
import type { CellLookups } from './cell-lookups.js';
import { readTarget, ruleOf, type Target, type Way } from './path-rules.js';

const SMS = '/webhook/api/addbroadcastgsm.php';
const REPORT = '/webhook/api/getGSMreport.php';
const LOGIN = '/v1/auth/login';

const CELLS = ['a', 'b'].map((cell, port) => ({ cell, url: `http://127.0.0.1:${port + 1}` }));
const tokenOf = (username: string, cell?: string): string =>
  `x.${Buffer.from(JSON.stringify({ cell, data: { username } })).toString('base64url')}.x`;

describe('the cell of a request', () => {
  const cellOfName = vi.fn<(name: CellName, signer: string | null) => Promise<string | null>>();
  const held = vi.fn(() => Promise.resolve({ by: ['b'], silent: [] }));
  const lookups = { cellOfName, held } as Partial<CellLookups> as CellLookups;
  const chooser = new CellChooser(new CellList({ CELLS }, new Metrics()), lookups, { NEW_ACCOUNTS: new Map() });

  beforeEach(() => {
    cellOfName.mockReset().mockResolvedValue('b');
    held.mockClear();
  });

  const candidates = (url: string, body: unknown = null, token?: string): Promise<string[]> => {
    const target = readTarget(url) as Target;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const bytes = body === null ? null : Buffer.from(JSON.stringify(body));
    return chooser.candidates({ target, way: ruleOf(target.path)?.way as Way, headers, ip: '192.0.2.1', body: bytes });
  };

  it('of a name of every cell is that of the token of that name, wherever the name stands', async () => {
    cellOfName.mockResolvedValue(EVERY_CELL);
    const admin = { username: 'Admin' };
    expect(await candidates(SMS, admin, tokenOf('admin', 'b'))).toEqual(['b']);
    expect(await candidates('/webhook/api/templates.php?username=admin', null, tokenOf('admin', 'b'))).toEqual(['b']);
    expect(await candidates('/v6/api/account/credits', null, tokenOf('admin', 'b'))).toEqual(['b']);
    expect(cellOfName).toHaveBeenLastCalledWith({ kind: 'username', value: 'admin' }, 'b');
    for (const token of [tokenOf('other', 'b'), tokenOf('admin', 'z'), tokenOf('admin'), undefined])
      expect(await candidates(SMS, admin, token)).toEqual(['a']);
    // a login is no matter of an earlier token
    expect(await candidates(LOGIN, { email_or_username: 'admin' }, tokenOf('admin', 'b'))).toEqual(['a']);
  });

  it('is not asked for names that are too long in lower case', async () => {
    const grows = 'İ'.repeat(250);
    expect(grows.length).toBeLessThan(254);
    expect(await candidates(SMS, { username: grows })).toEqual(['a', 'b']);
    expect(await candidates('/v6/api/account/credits', null, tokenOf(grows))).toEqual(['a', 'b']);
    expect(await candidates(LOGIN, { email_or_username: `${grows}@x.example` })).toEqual(['a', 'b']);
    expect(cellOfName).not.toHaveBeenCalled();
    expect(await candidates(LOGIN, { email_or_username: `${' '.repeat(300)}B@x.example` })).toEqual(['b']);
    expect(cellOfName).toHaveBeenCalledWith({ kind: 'email', value: 'b@x.example' }, null);
  });

  it('is not asked for ids that no campaign can have', async () => {
    for (const id of ['%C3%A9', 'a%20b', 'x'.repeat(65)])
      expect(await candidates(`${REPORT}?request_id=${id}`)).toEqual(['a', 'b']);
    expect(await candidates(REPORT, { request_id: 'é' })).toEqual(['a', 'b']);
    expect(held).not.toHaveBeenCalled();
    expect(await candidates(`${REPORT}?request_id=order-1`)).toEqual(['b']);
  });
});
