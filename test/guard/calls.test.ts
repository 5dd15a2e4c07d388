import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../support/sms.js';
import { AudioServer, openVoice, type Voice } from '../support/voice.js';
import { termsOf } from './support.js';

let voice: Voice;
let audio: AudioServer;

beforeAll(async () => {
  voice = await openVoice({ VOICE_AUTO_APPROVE: true, VOICE_ALLOWED_PREFIXES: ['*'] });
  audio = await AudioServer.open();
});
afterAll(async () => {
  await audio.close();
  await voice.stop();
});

const calling = async (terms: Parameters<typeof termsOf>[0]): Promise<Member> => {
  const member = await voice.rich();
  await voice.alter(member, 'guard', JSON.stringify(termsOf(terms)));
  await voice.alter(member, 'require_sender', 1);
  return member;
};
const body = (contacts: readonly string[], more: object = {}) => ({
  ...{ broadcast_name: 'Call', audio_url: audio.url(1_000), contacts },
  ...more,
});

describe('calls of an account with strict terms', () => {
  it('reach no satellite number under the number of another, and cost nothing', async () => {
    const member = await calling({ countries: ['IN'] });
    const foreign = await voice.send(member, body(['8816123456789'], { caller_id: '14155552671' }));
    expect(foreign).toMatchObject({ status: 400, body: { code: 'sender_not_approved' } });
    const satellite = await voice.send(member, body(['8816123456789']));
    expect(satellite).toMatchObject({ status: 400, body: { code: 'destination_not_allowed' } });
    expect(await voice.credits(member, 'voice_credits')).toBe(1_000);
  });

  it('show approved callers also where only the reseller of the account must', async () => {
    const [reseller, client] = [await calling({}), await voice.rich()];
    await voice.alter(reseller, 'user_type', 'reseller');
    await voice.alter(client, 'parent_id', reseller.account.id);
    const foreign = await voice.send(client, body(['919812345678'], { caller_id: '14155552671' }));
    expect(foreign).toMatchObject({ status: 400, body: { code: 'sender_not_approved' } });
    await voice.alter(reseller, 'require_sender', 0);
    expect((await voice.send(client, body(['919812345678'], { caller_id: '14155552671' }))).status).toBe(200);
  });

  it('are not forwarded to one either', async () => {
    const member = await calling({ countries: ['IN'] });
    const dtmf_flow = {
      rows: [{ digit: '1', action: 'transfer', number: '919812345670', fallback_numbers: ['8816123456789'] }],
    };
    const answer = await voice.send(member, body(['919812345678'], { dtmf_flow }));
    expect(answer).toMatchObject({ status: 400, body: { message: 'Destination not allowed: 881' } });
    const back = { callback_audio: [{ dtmf: '1', selected_number: '8816123456789' }] };
    expect((await voice.send(member, body(['919812345678'], back))).status).toBe(400);
  });

  it('are as many at once as the terms allow, under parallel sends too', async () => {
    const member = await calling({ calls_at_once: 4 });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        voice.send(member, body([`91981234${1_000 + 11 * index}`, `91981235${1_000 + 11 * index}`])),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429, 429]);
    const refused = answers.filter(({ status }) => status === 429);
    for (const { body: said, headers } of refused) {
      expect(said).toMatchObject({ code: 'calls_at_once', message: 'Too many calls at once' });
      expect(headers.get('retry-after')).toBe('60');
    }
    expect(await voice.credits(member, 'voice_credits')).toBe(1_000 - 4);
  });
});
