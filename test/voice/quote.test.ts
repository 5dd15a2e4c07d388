import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { giveRatePlan } from '../support/rate-plan.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';
import { AudioServer, NUMBER, openVoice, type Voice } from '../support/voice.js';

let voice: Voice;
let audio: AudioServer;

beforeAll(async () => {
  voice = await openVoice({ VOICE_ALLOWED_PREFIXES: ['49'] });
  audio = await AudioServer.open();
});
afterAll(async () => {
  await voice.stop();
  await audio.close();
});

const NO_NUMBER = (message: string) => ({ reason: 'number_invalid', message: `number ${message}` });
const quote = (member: Member | null, body: object): Promise<Answer> =>
  voice.post('/v6/api/campaigns/quote', member, { channel: 'voice', ...body });
const dataOf = ({ body }: Answer): Record<string, unknown> => body['data'] as Record<string, unknown>;

/** Of a WAV file: 8,000 samples of two bytes a second behind a header. */
const secondsOf = (wav: Buffer): number => (wav.length - 44) / 16_000;

/** What a voice send would cost (reference/voice#quote). */
describe('a quote of a voice send', () => {
  it('answers exactly the fields of the reference, and leaves nothing behind', async () => {
    const member = await voice.rich(50);
    const answer = await quote(member, {
      audio_url: audio.url(20_500),
      voiceplan: 15,
      contacts: [NUMBER, `+${NUMBER}`, '919812345679', '12', {}],
      dtmf_flow: { rows: [{ digit: '1', action: 'transfer', number: '4930123456' }] },
    });
    expect(answer.body).toEqual({
      success: true,
      data: {
        channel: 'voice',
        audio_seconds: 20.5,
        voiceplan: 15,
        ivr_enabled: true,
        credits_per_contact: 2,
        credits: 4,
        total_credits: 4,
        balance: 'voice_credits',
        available: 50,
        contacts: 2,
        invalid: [
          { row: expect.any(Number) as number, value: '12', ...NO_NUMBER('has fewer than 8 digits') },
          {
            row: expect.any(Number) as number,
            value: '[object]',
            ...NO_NUMBER('is neither a text nor a whole number'),
          },
        ],
        refused: 2,
        duplicates: [NUMBER],
        duplicates_count: 1,
      },
    });
    expect(answer.status).toBe(200);
    expect(await voice.credits(member, 'voice_credits')).toBe(50);
    for (const table of ['campaigns', 'audio_files']) {
      expect(await voice.dataSource.query(`SELECT 1 FROM ${table} LIMIT 1`), table).toEqual([]);
    }
  });

  it('is what the send then charges, of speech too', async () => {
    const member = await voice.rich(50);
    const send = { message: 'Hello. '.repeat(40), language: 'en', contacts: [NUMBER, '919812345679'] };
    const quoted = dataOf(await quote(member, send));
    expect(quoted).toMatchObject({ ivr_enabled: false, contacts: 2, voiceplan: 15 });
    expect(quoted['audio_seconds']).toBeGreaterThan(15);
    const { body } = await voice.send(member, { broadcast_name: 'Hello', ...send });
    expect(body).toMatchObject({
      counts_per_contact: quoted['credits_per_contact'],
      credits_deducted: quoted['total_credits'],
    });
  });

  it('lets the speech be heard before, as long as the quote says, and keeps nothing of it', async () => {
    const member = await voice.rich(50);
    const hear = (body: object, token = member.token) =>
      fetch(`${voice.url}/v6/api/v1/voice/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const text = { message: 'Your order is ready. Thank you.', language: 'en' };
    const kept = () => voice.dataSource.query<unknown[]>('SELECT id FROM audio_files ORDER BY id');
    const before = await kept();
    const heard = await hear(text);
    expect([heard.status, heard.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    const bytes = Buffer.from(await heard.arrayBuffer());
    expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
    const { audio_seconds: seconds } = dataOf(await quote(member, { ...text, contacts: [NUMBER] }));
    // the engine breathes a little otherwise each time
    expect(Math.abs(secondsOf(bytes) - Number(seconds))).toBeLessThan(0.2);
    expect(await kept()).toEqual(before);
    // as what a send of it plays
    const sent = await voice.post('/v6/api/v1/voice/send', member, {
      ...text,
      broadcast_name: 'n',
      contacts: [NUMBER],
    });
    const { pathname } = new URL(String(sent.body['audio_url']), voice.url);
    const played = Buffer.from(await (await fetch(voice.url + pathname)).arrayBuffer());
    const again = Buffer.from(await (await hear(text)).arrayBuffer());
    expect(Math.abs(secondsOf(again) - secondsOf(played))).toBeLessThan(0.2);
    for (const [body, message] of [
      [{}, 'Either audio_file_id or message is required'],
      [{ message: 'x'.repeat(5_001) }, 'Text for voice message cannot exceed 5000 characters.'],
      [{ message: '...' }, 'message contains nothing that can be spoken'],
    ] as const) {
      expect(await (await hear(body)).json()).toMatchObject({ statusCode: 400, message });
    }
    expect((await hear(text, 'none')).status).toBe(401);
  });

  it('follows the rate plan of the account', async () => {
    const member = await voice.rich(5);
    await giveRatePlan(voice, member, [{ channel: 'voice', prefix: '91', credits_per_segment: 7 }]);
    const quoted = await quote(member, { audio_url: audio.url(1_000), contacts: [NUMBER, '442079460000'] });
    expect(dataOf(quoted)).toMatchObject({ total_credits: 8, available: 5 });
  });

  it.each([
    [{}, 'Either audio_file_id or message is required'],
    [{ message: 'x' }, "Provide an array of phone numbers in 'contacts'"],
    [{ message: 'x', contacts: ['12'] }, 'No valid numbers were found in contacts.'],
    [{ message: 'x', contacts: [NUMBER], voiceplan: 20 }, 'voiceplan must be one of: 15, 30'],
    [{ message: 'x', contacts: [NUMBER], dtmf_flow: 'x' }, 'dtmf_flow is not valid JSON'],
    [{ audio_url: 'http://10.0.0.1/x.wav', contacts: [NUMBER] }, 'audio_url could not be fetched'],
    [{ message: '...', contacts: [NUMBER] }, 'message contains nothing that can be spoken'],
  ])('refuses %j', async (body, message) => {
    expectRefused(await quote(await voice.rich(), body), 400, message);
  });

  it('is the account’s own', async () => {
    expectRefused(await quote(null, { message: 'x', contacts: [NUMBER] }), 401, 'Invalid Authorization token');
  });
});
