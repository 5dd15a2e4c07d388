import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { giveRatePlan } from '../support/rate-plan.js';
import { expectRefused, type Member } from '../support/sms.js';
import { AudioServer, NUMBER, openVoice, type Voice } from '../support/voice.js';

const ABROAD = '442079460000';

let voice: Voice;
let audio: AudioServer;
let staff: Member;

beforeAll(async () => {
  voice = await openVoice();
  audio = await AudioServer.open();
  staff = await voice.join({}, { userType: 'super' });
});
afterAll(async () => {
  await voice.stop();
  await audio.close();
});

/** An account to which a call to India costs so much, whatever its length. */
async function onPlan(credits: number, perCall: number): Promise<Member> {
  const member = await voice.rich(credits);
  await giveRatePlan(voice, member, [{ channel: 'voice', prefix: '91', credits_per_segment: perCall }]);
  return member;
}

const send = (member: Member, contacts: string[], milliseconds = 20_000) =>
  voice.send(member, { broadcast_name: 'Reminder', audio_url: audio.url(milliseconds), contacts });
const view = async (path: string, { token }: Member): Promise<unknown> =>
  (await voice.request(path, { headers: { authorization: `Bearer ${token}` } })).body['data'];

describe('a voice campaign of an account with a rate plan', () => {
  it('is taken without any credits where its calls are free', async () => {
    const member = await onPlan(0, 0);
    const answer = await send(member, [NUMBER, '919812345679']);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body).toMatchObject({ contacts: 2, counts_per_contact: 0, credits_deducted: 0 });
  });

  it('is refused before anything is fetched when the plan asks for more than there is', async () => {
    const member = await onPlan(9, 5);
    const asked = audio.asked;
    const refused = await send(member, [NUMBER, '919812345679']);
    expectRefused(refused, 400, 'Insufficient credits. Required: 10, Available: 9');
    // of a contact that the plan does not name, the shortest audio
    const mixed = await send(await onPlan(5, 5), [NUMBER, ABROAD]);
    expectRefused(mixed, 400, 'Insufficient credits. Required: 6, Available: 5');
    expect(audio.asked).toBe(asked);
  });

  it('tells the owner and staff what was charged, in the review, the report and of each contact', async () => {
    const member = await onPlan(100, 5);
    const { body } = await send(member, [NUMBER, '919812345679', ABROAD]);
    expect(body).toMatchObject({ contacts: 3, counts_per_contact: 5, credits_deducted: 12 });
    expect(await voice.credits(member, 'voice_credits')).toBe(88);
    const id = String(body['request_id']);
    expect(await view(`/v6/api/admin/campaigns/${id}`, staff)).toMatchObject({
      state: 'pending_approval',
      credits: 12,
    });
    expect(await view(`/v6/api/voice/report?request_id=${id}`, member)).toMatchObject({
      summary: { deduction: '5', total_credits_used: '12' },
    });
    expect(await view(`/v6/api/campaigns/${id}/contacts`, member)).toMatchObject([
      { receiver: NUMBER, credits: 5 },
      { receiver: '919812345679', credits: 5 },
      { receiver: ABROAD, credits: 2 },
    ]);
  });
});
