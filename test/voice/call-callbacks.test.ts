import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AudioServer, NUMBER, openVoice, type Voice } from '../support/voice.js';

const PUBLIC_URL = 'https://voice.example/base';
const TOKEN = 'token-of-the-route';
const ACCOUNT = `AC${'0'.repeat(32)}`;
const HUNG_UP = '<?xml version="1.0" encoding="UTF-8"?><Response><Hangup/></Response>';
const EMPTY = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

type Form = Record<string, string>;

function sign(path: string, form: Form, token = TOKEN, origin = PUBLIC_URL): string {
  const text = Object.keys(form)
    .sort()
    .reduce((all, name) => all + name + (form[name] ?? ''), origin + path);
  return createHmac('sha1', token).update(text).digest('base64');
}

describe('callbacks of the telephone network', () => {
  let voice: Voice;
  let audio: AudioServer;
  let campaignId = 0;
  let routeId = 0;

  beforeAll(async () => {
    voice = await openVoice({ PUBLIC_URL, VOICE_AUTO_APPROVE: true, VOICE_DEFAULT_CALLER_ID: '918000000001' });
    audio = await AudioServer.open();
    const answer = await voice.send(await voice.rich(), {
      broadcast_name: 'Menu',
      audio_url: audio.url(1_000),
      contacts: [NUMBER, '919812345679'],
      callback_audio: [{ dtmf: '1', selected_number: '4930123456' }],
    });
    expect(answer.status).toBe(200);
    const [row] = await voice.dataSource.query<{ id: number; route_id: number }[]>(
      'SELECT id, route_id FROM campaigns',
    );
    [campaignId, routeId] = [Number(row?.id), Number(row?.route_id)];
  });
  afterAll(async () => {
    await voice.stop();
    await audio.close();
  });

  const callForm = (id: string, more: Form = {}): Form => ({
    AccountSid: ACCOUNT,
    CallSid: id,
    CallStatus: 'in-progress',
    To: `+${NUMBER}`,
    From: '+918000000001',
    ...more,
  });
  const step = (number: number, event: string, seq = 1): string =>
    `/provider/voice/telephone/calls/${campaignId}-${seq}/steps/${number}/${event}`;
  const status = (seq = 1): string => `/provider/voice/telephone/calls/${campaignId}-${seq}/status`;

  const post = async (path: string, form: Form, signature: string | null = sign(path, form), headers: Form = {}) => {
    const response = await fetch(voice.url + path, {
      method: 'POST',
      headers: { ...(signature !== null && { 'x-twilio-signature': signature }), ...headers },
      body: new URLSearchParams(form),
    });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
  const calls = (id: string): Promise<Record<string, unknown>[]> =>
    voice.dataSource.query('SELECT seq, attempt, answers, digits FROM voice_calls WHERE call_id = ?', [id]);
  const unmatched = async (): Promise<Record<string, unknown>[]> => {
    const rows: { receipt: string }[] = await voice.dataSource.query(
      'SELECT receipt FROM parked_receipts WHERE route_id = ? ORDER BY id',
      [routeId],
    );
    return rows.map(({ receipt }) => JSON.parse(receipt) as Record<string, unknown>);
  };

  it('are answered in the network’s language, with addresses below PUBLIC_URL', async () => {
    const path = step(0, 'answered');
    const answer = await post(path, callForm('CA1'));
    expect(answer).toMatchObject({ status: 200, type: 'text/xml; charset=utf-8' });
    const next = `${PUBLIC_URL}${step(1, 'digits')}`;
    expect(answer.text).toContain(`action="${next}" numDigits="1" finishOnKey="" timeout="5"`);
    expect(answer.text).toMatch(/<Play>https:\/\/voice\.example\/base\/audio\/[\w-]+\.wav<\/Play><\/Gather><Redirect /);
    const dial = await post(step(1, 'digits'), callForm('CA1', { Digits: '1' }));
    expect(dial.text).toContain(`action="${PUBLIC_URL}${step(2, 'dialed')}" timeout="30" timeLimit="600"`);
    expect(dial.text).toContain('callerId="+918000000001"><Number>+4930123456</Number>');
    const over = await post(step(2, 'dialed'), callForm('CA1', { DialCallStatus: 'completed', DialCallDuration: '9' }));
    expect(over.text).toBe(HUNG_UP);
  });

  it('that come again, together or later, get the same answer and happen once', async () => {
    const form = callForm('CA2');
    const first = await Promise.all(Array.from({ length: 6 }, () => post(step(0, 'answered'), form)));
    const keys = await Promise.all(
      Array.from({ length: 6 }, (_, index) => post(step(1, 'digits'), callForm('CA2', { Digits: String(index % 2) }))),
    );
    expect(new Set(first.map(({ text }) => text)).size).toBe(1);
    expect(new Set(keys.map(({ text }) => text)).size).toBe(1);
    expect((await post(step(0, 'answered'), form)).text).toBe(first[0]?.text);
    const [call] = await calls('CA2');
    expect(JSON.parse(String(call?.['answers']))).toHaveLength(2);
    expect(String(call?.['digits'])).toHaveLength(1);
  });

  it('do not depend on the Host header', async () => {
    const form = callForm('CA3');
    const path = step(0, 'answered');
    for (const headers of [
      { host: 'evil.example' },
      { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    ]) {
      expect((await post(path, form, sign(path, form), headers)).status).toBe(200);
      expect((await post(path, form, sign(path, form, TOKEN, 'https://evil.example'), headers)).status).toBe(403);
    }
    expect((await post(path, form, sign(path, form, TOKEN, voice.url))).status).toBe(403);
  });

  it('without the right signature: 403 and no effect', async () => {
    await voice.addVoiceRoute('another');
    const form = callForm('CA4');
    const path = step(0, 'answered');
    const right = sign(path, form);
    const ended = callForm('CA4', { CallStatus: 'failed' });
    const foreign = path.replace('telephone', 'another');
    const nowhere = path.replace('telephone', 'nowhere');
    const wrong = await Promise.all([
      post(path, form, null),
      post(path, form, ''),
      post(path, form, right.toLowerCase()),
      post(path, form, sign(path, form, 'another token')),
      post(path, callForm('CA5'), right),
      post(path, { ...form, Digits: '1' }, right),
      post(`${path}?a=1`, form, right),
      post(step(0, 'played'), form, right),
      post(step(0, 'answered', 2), form, right),
      post(foreign, form, right),
      post(nowhere, form, sign(nowhere, form)),
      post(nowhere, form, sign(nowhere, form, 'no such route')),
      post(status(), ended, right),
      post(status(), ended, sign(status(), form)),
      post(path, form, right, { 'content-type': 'application/json' }),
      post(path, form, right, { 'content-type': 'text/plain' }),
    ]);
    for (const answer of wrong) {
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.text)).toMatchObject({ success: false });
    }
    expect(await calls('CA4')).toEqual([]);
    expect(await unmatched()).toEqual([]);
  });

  it('by anybody: forms of very many parameters and addresses of their own are refused at once', async () => {
    const path = status();
    const types = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': sign(path, {}) };
    const post = (body: string) => fetch(voice.url + path, { method: 'POST', headers: types, body });
    expect((await post('a=1&'.repeat(250_000))).status).toBe(403);
    const { hostname, port } = new URL(voice.url);
    const elsewhere = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request(
        { hostname, port, method: 'POST', path: `http://evil.example:99999${path}` },
        (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        },
      );
      asked.on('error', reject).end();
    });
    expect(elsewhere).toBeLessThan(500);
  });

  it('that are larger than 1 MB or compressed are refused before their signature is looked at', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'x' };
    for (const path of [step(0, 'answered'), status()]) {
      const post = async (body: string | Buffer, more: Form = {}) => {
        const answer = await fetch(voice.url + path, { method: 'POST', headers: { ...headers, ...more }, body });
        const { success, code } = (await answer.json()) as Record<string, unknown>;
        return [answer.status, success, code];
      };
      expect(await post('a=1&'.repeat(270_000))).toEqual([413, false, 'body_too_large']);
      expect(await post(gzipSync('a=1'), { 'content-encoding': 'gzip' })).toEqual([415, false, 'body_compressed']);
    }
  });

  it('of another account, an unknown recipient or an odd address end the call and touch nothing', async () => {
    const foreign = callForm('CA6', { AccountSid: `AC${'1'.repeat(32)}` });
    const odd: [string, Form][] = [
      [step(0, 'answered'), foreign],
      [status(), { ...foreign, CallStatus: 'failed' }],
      [step(0, 'answered'), { AccountSid: ACCOUNT }],
      [step(0, 'danced'), callForm('CA6')],
      ['/provider/voice/telephone/calls/x/steps/-1/answered', callForm('CA6')],
      [step(0, 'answered', 99), callForm('CA6')],
      ['/provider/voice/telephone/calls/999999-1/steps/0/answered', callForm('CA6')],
      ['/provider/voice/telephone/calls/%20%27%3B--/steps/0/answered', callForm('CA6')],
      [step(7, 'digits'), callForm('CA6')],
    ];
    for (const [path, form] of odd) expect(await post(path, form)).toMatchObject({ status: 200, text: HUNG_UP });
    // The last one names a recipient and a call, only no step that call is at: nothing was answered.
    expect((await calls('CA6')).map((call) => call['answers'])).toEqual([null]);
    expect(await unmatched()).toEqual([]);
    const metrics = await (await fetch(`${voice.url}/metrics`)).text();
    expect(metrics).toMatch(/voice_callbacks_dropped_total [5-9]/);
  });

  it('tell how calls ended, to the engine', async () => {
    const end = (more: Form) => post(status(2), callForm('CA7', more));
    expect(await end({ CallStatus: 'ringing' })).toMatchObject({ status: 200, text: EMPTY });
    expect(await unmatched()).toEqual([]);
    expect(await end({ CallStatus: 'busy', SipResponseCode: '486' })).toMatchObject({ status: 200, text: EMPTY });
    expect(await unmatched()).toEqual([
      {
        providerMessageId: 'CA7',
        status: 'busy',
        errorCode: null,
        errorText: null,
        receiver: NUMBER,
        durationSeconds: 0,
        ref: `${campaignId}-2`,
      },
    ]);
  });

  it('come by POST alone', async () => {
    for (const path of [step(0, 'answered'), status()]) {
      const answer = await voice.request(path);
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });
});
