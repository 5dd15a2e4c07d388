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

/** An account to which a block of a call to India costs so much. */
async function onPlan(credits: number, perBlock: number): Promise<Member> {
  const member = await voice.rich(credits);
  await giveRatePlan(voice, member, [{ channel: 'voice', prefix: '91', credits_per_segment: perBlock }]);
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
    // of all of them, the shortest audio
    const mixed = await send(await onPlan(5, 5), [NUMBER, ABROAD]);
    expectRefused(mixed, 400, 'Insufficient credits. Required: 6, Available: 5');
    expect(audio.asked).toBe(asked);
  });

  it('tells the owner and staff what was charged, in the review, the report and of each contact', async () => {
    const member = await onPlan(100, 5);
    const { body } = await send(member, [NUMBER, '919812345679', ABROAD]);
    expect(body).toMatchObject({ contacts: 3, counts_per_contact: 10, credits_deducted: 22 });
    expect(await voice.credits(member, 'voice_credits')).toBe(78);
    const id = String(body['request_id']);
    expect(await view(`/v6/api/admin/campaigns/${id}`, staff)).toMatchObject({
      state: 'pending_approval',
      credits: 22,
    });
    expect(await view(`/v6/api/voice/report?request_id=${id}`, member)).toMatchObject({
      summary: { deduction: '10', total_credits_used: '22' },
    });
    expect(await view(`/v6/api/campaigns/${id}/contacts`, member)).toMatchObject([
      { receiver: NUMBER, credits: 10 },
      { receiver: '919812345679', credits: 10 },
      { receiver: ABROAD, credits: 2 },
    ]);
  });

  it('costs as many blocks as its audio has, at the least one; a retry costs as much, and too little is refused', async () => {
    for (const [milliseconds, voiceplan, blocks] of [
      [1_000, 15, 1],
      [15_000, 15, 1],
      [16_000, 15, 2],
      [61_000, 30, 3],
      [120_000, 15, 8],
    ] as const) {
      const member = await onPlan(5 * blocks * 2, 5);
      const contacts = [NUMBER];
      const body = { audio_url: audio.url(milliseconds), voiceplan, contacts };
      const quoted = await voice.post('/v6/api/campaigns/quote', member, { channel: 'voice', ...body });
      expect(quoted.body['data']).toMatchObject({ credits_per_contact: 5 * blocks, total_credits: 5 * blocks });
      const sent = await voice.send(member, { broadcast_name: 'Reminder', ...body });
      expect(sent.body).toMatchObject({ counts_per_contact: 5 * blocks, credits_deducted: 5 * blocks });
      const id = String(sent.body['request_id']);
      await voice.dataSource.query(
        `UPDATE campaigns c JOIN campaign_recipients r ON r.campaign_id = c.id SET c.state = 'completed', r.status = 4
         WHERE c.request_id = ?`,
        [id],
      );
      expect((await voice.post(`/v6/api/campaigns/${id}/retry-failed`, member, {})).status).toBe(200);
      expect(await voice.credits(member, 'voice_credits')).toBe(0);
    }
    const poor = await onPlan(9, 5);
    expectRefused(await send(poor, [NUMBER]), 400, 'Insufficient credits. Required: 10, Available: 9');
    expect(await voice.credits(poor, 'voice_credits')).toBe(9);
  });
});
