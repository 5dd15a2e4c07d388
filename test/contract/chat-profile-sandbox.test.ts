import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BusinessProfileClient, MetaCloudClient } from '../../src/modules/providers/index.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { openSandbox, type OpenSandbox } from './open-sandbox.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PHOTO = { bytes: PNG, mimeType: 'image/png', name: 'photo.png' };
const SILENT = { kind: 'upstream', message: 'Provider did not answer' };

const outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
const profiles = new BusinessProfileClient(new MetaCloudClient(outbound));
let sandbox: OpenSandbox;
let count = 0;

/** An account whose number has no profile yet. */
function newAccount(token = 'good-token') {
  const id = ++count;
  const url = `${sandbox.url}/v21.0/${1_000_000 + id}/messages`;
  return { id, provider: 'meta_cloud' as const, url, token, bmid: null, appId: '670843887433847' };
}

beforeAll(async () => {
  sandbox = await openSandbox();
});
beforeEach(() => sandbox.clear());
afterAll(async () => {
  await sandbox.stop();
  await outbound.onApplicationShutdown();
});

describe('business profile at the chat upstream', () => {
  it('starts empty, keeps what is not named, clears what is empty', async () => {
    const account = newAccount();
    const empty = {
      about: '',
      address: '',
      description: '',
      email: '',
      profile_picture_url: '',
      vertical: '',
      websites: [],
    };
    expect(await profiles.read(account)).toEqual(empty);
    const all = {
      about: 'Bread',
      address: '1 Market Street',
      description: 'The bakery',
      email: 'hello@bakery.example',
      vertical: 'RETAIL',
      websites: ['https://bakery.example'],
    };
    await profiles.update(account, all);
    await profiles.update(account, { address: '2 Market Street', description: '' });
    const changed = { ...empty, ...all, address: '2 Market Street', description: '' };
    expect(await profiles.read(account)).toEqual(changed);
  });

  it('tells the upstream’s own text', async () => {
    const account = newAccount();
    await expect(profiles.update(account, { vertical: 'BAKERY' })).rejects.toMatchObject({
      kind: 'unprocessable',
      message: expect.stringContaining('vertical') as unknown,
    });
    await expect(profiles.read(newAccount('bad-token'))).rejects.toMatchObject({ kind: 'unprocessable' });
  });

  it('takes a photo in three steps, with the account’s application or that of the token', async () => {
    for (const appId of ['670843887433847', null]) {
      const account = { ...newAccount(), appId };
      expect(await profiles.changePhoto(account, PHOTO)).toEqual({ success: true });
      expect((await profiles.read(account)).profile_picture_url).toMatch(/^https:/);
    }
  });

  it('refuses a photo of another type at the first step, and changes nothing', async () => {
    const account = newAccount();
    const gif = { ...PHOTO, mimeType: 'image/gif' };
    await expect(profiles.changePhoto(account, gif)).rejects.toMatchObject({ kind: 'unprocessable' });
    expect((await profiles.read(account)).profile_picture_url).toBe('');
  });

  it.each(['server error', 'not JSON', 'huge', 'redirect'])('has no answer in a %s', async (chatAnswer) => {
    const account = newAccount();
    await sandbox.faults({ chatAnswer });
    await expect(profiles.read(account)).rejects.toMatchObject(SILENT);
    await expect(profiles.update(account, { about: 'Bread' })).rejects.toMatchObject(SILENT);
    await expect(profiles.changePhoto(account, PHOTO)).rejects.toMatchObject(SILENT);
  });
});
