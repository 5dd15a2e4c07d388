import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTENT } from '../../src/modules/engine/channel.js';
import { Sealer } from '../../src/platform/security/index.js';
import { dataOf, type Json } from '../support/campaigns.js';
import { GraphUpstream } from '../support/graph-upstream.js';
import { until } from '../support/processes.js';
import type { Member } from '../support/sms.js';
import { voiceOf } from '../support/voice.js';
import { NUMBER, openVerifications, PATH, type Verifications } from './support.js';

let api: Verifications;
let upstream: GraphUpstream;

beforeAll(async () => {
  api = await openVerifications({ VOICE_DEFAULT_CALLER_ID: '918000000001', OUTBOUND_ALLOW: '127.0.0.0/8' });
  upstream = await GraphUpstream.open();
  await voiceOf(api.api).addVoiceRoute();
});
afterAll(async () => {
  await api.stop();
  await upstream.stop();
});

/** What is stored of the message, and what the driver gets. */
async function contentOf(made: Json): Promise<{ stored: Json; opened: Json; state: string }> {
  const [row] = await api.dataSource.query<{ content: string; state: string }[]>(
    'SELECT content, state FROM campaigns WHERE id = ?',
    [Number(String(made['message_id']).split('_')[1])],
  );
  const stored = JSON.parse(row?.content ?? '{}') as Json;
  const opened = JSON.parse(api.part(Sealer).open(String(stored['sealed']), CONTENT)) as Json;
  return { stored, opened, state: String(row?.state) };
}

describe('a verification by a call', () => {
  it('speaks the digits one by one, without approval, for the price of its length', async () => {
    const member = await api.join({ voice_credits: 10 });
    const made = await api.started(member, { channels: ['voice'], app: 'ACME', locale: 'fr' });
    expect(made).toMatchObject({ channel: 'voice', sends: 1, credits: 2 });
    expect(await api.credits(member, 'voice_credits')).toBe(8);
    const code = (await api.codeOf(made['id'])).split('').join(', ');
    const { stored, opened, state } = await contentOf(made);
    expect(['accepted', 'running']).toContain(state);
    const text = `${code} est votre code ACME. Il expire dans 10 minutes. Ne le partagez pas.`;
    expect(opened['say']).toEqual({ text, language: 'fr-FR' });
    expect(JSON.stringify(stored)).not.toContain(code);
    expect(dataOf(await api.get(`/v6/api/messages/${String(made['message_id'])}`, member))).toMatchObject({
      channel: 'voice',
      text: text.replace(code, '*'.repeat(16)),
    });
  });

  it('without credits is refused as a call is', async () => {
    const answer = await api.start(await api.join(5), { to: `+${NUMBER}`, channels: ['voice'] });
    expect(answer).toMatchObject({ status: 400, body: { message: 'Insufficient credits. Required: 2, Available: 0' } });
  });
});

describe('a verification by chat', () => {
  async function chatting(): Promise<Member> {
    const member = await api.join({ chat_auth_credits: 10, gsm_credits: 10 });
    await api.connect(member, 'official', { url: upstream.accountUrl });
    await api.template(member, 'login_code', { category: 3, body: 'Your code is {{1}}' });
    return member;
  }

  it('sends the approved template with the code', async () => {
    const member = await chatting();
    const made = await api.started(member, { channels: ['chat'], chat_template: 'login_code' });
    expect(made).toMatchObject({ channel: 'chat', credits: 1 });
    const code = await api.codeOf(made['id']);
    const { stored } = await contentOf(made);
    expect(JSON.stringify(stored)).not.toContain(code);
    expect(JSON.stringify(stored['template'])).toContain('******');
    await api.worker({ WORKER_QUEUES: ['template'] });
    await until('the message at the provider', () => Promise.resolve(JSON.stringify(upstream.calls).includes(code)));
    const sent = JSON.stringify(upstream.calls);
    expect(sent).not.toContain('sealed');
    expect(sent).not.toContain('******');
  });

  it('needs the name of a template of the account', async () => {
    const member = await chatting();
    const refused = await api.start(member, { to: `+${NUMBER}`, channels: ['chat'], chat_template: 'other' });
    expect(refused).toMatchObject({ status: 404, body: { message: 'Template not found' } });
    await api.dataSource.query('UPDATE templates SET status = 3 WHERE account_id = ?', [member.account.id]);
    const pending = await api.start(member, { to: `+${NUMBER}`, channels: ['chat'], chat_template: 'login_code' });
    expect(pending).toMatchObject({ status: 409, body: { message: 'Template is pending platform approval' } });
  });

  it('with a template of other parameters is refused, at the start and as the next channel', async () => {
    const member = await chatting();
    await api.template(member, 'two', { category: 3, body: '{{1}} {{2}}' });
    const chat = { to: '+919812300003', chat_template: 'two' };
    expect((await api.start(member, { ...chat, channels: ['chat'] })).status).toBe(422);
    const made = await api.started(member, { ...chat, channels: ['sms', 'chat'] });
    expect((await api.next(member, made['id'])).status).toBe(422);
    expect(dataOf(await api.shown(member, made['id']))).toMatchObject({ channel: 'sms', sends: 1 });
  });

  it('passes over a channel that refuses the message', async () => {
    const member = await chatting();
    const channels = ['sms', 'voice', 'chat'];
    const made = await api.started(member, { to: '+919812300001', channels, chat_template: 'login_code' });
    await api.later(made['id'], 60);
    await api.round();
    expect(dataOf(await api.shown(member, made['id']))).toMatchObject({ channel: 'chat', sends: 2, credits: 2 });
  });
});

describe('the right to send', () => {
  it('is needed for each channel, of the start, the check and the rest', async () => {
    const owner = await api.join({ gsm_credits: 10, voice_credits: 10 });
    const keyOf = async (scopes: string[]): Promise<string> => {
      const made = dataOf(await api.post('/v6/api/account/api-keys', owner, { name: scopes.join(), scopes }));
      return String(made['key'] ?? made['api_key']);
    };
    const call = (key: string, method: string, path: string, body?: unknown): ReturnType<Verifications['request']> =>
      api.request(PATH + path, {
        method,
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const [sms, both] = [await keyOf(['send:sms']), await keyOf(['send:sms', 'send:voice'])];
    const body = { to: '+919812300002', channels: ['sms', 'voice'] };
    expect(await call(sms, 'POST', '', body)).toMatchObject({ status: 403, body: { message: 'Permission denied' } });
    const made = dataOf(await call(both, 'POST', '', body));
    const path = `/${String(made['id'])}`;
    for (const [method, at] of [
      ['POST', `${path}/check`],
      ['POST', `${path}/next`],
      ['DELETE', path],
    ] as const)
      expect((await call(sms, method, at, method === 'POST' ? { code: '123456' } : undefined)).status).toBe(403);
    expect((await call(both, 'POST', `${path}/next`, {})).status).toBe(200);
    expect((await call(both, 'DELETE', path)).status).toBe(200);
  });
});
