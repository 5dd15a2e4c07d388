import { expect, it } from 'vitest';
import { openSms } from '../support/sms.js';

const PATH = '/v6/api/messages';
const SMS = { channel: 'sms', to: '+919812345678', text: 'Your parcel is here.' };

it('429 with Retry-After over it, for each account alone', async () => {
  const limited = await openSms({ MESSAGES_PER_SECOND: 3 });
  try {
    const [busy, other] = [await limited.join(100), await limited.join(100)];
    const answers = await Promise.all(Array.from({ length: 40 }, () => limited.post(PATH, busy, SMS)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 202).length).toBeGreaterThanOrEqual(3);
    for (const { headers } of refused) expect(headers.get('retry-after')).toBe('1');
    expect((await limited.post(PATH, other, SMS)).status).toBe(202);
  } finally {
    await limited.stop();
  }
});

it('503 without a route', async () => {
  const bare = await openSms({}, { route: false });
  try {
    const answer = await bare.post(PATH, await bare.join(10), SMS);
    expect(answer).toMatchObject({ status: 503, body: { message: 'No route available for this channel' } });
  } finally {
    await bare.stop();
  }
});
