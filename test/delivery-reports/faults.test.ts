import { describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { refusal, openSms } from '../support/sms.js';
import { storeCampaign } from '../support/stored-campaign.js';

describe('a report that the database refuses', () => {
  it.each([
    ['campaign_recipients', 'Failed to prepare delivery details query'],
    ['campaign_counters', 'Failed to prepare report query'],
    ['campaigns', 'Failed to prepare report query'],
  ])('without %s: %s', async (table, message) => {
    const sms = await openSms();
    try {
      const member = await sms.join();
      const id = await storeCampaign(sms.dataSource, member, 3, [RecipientStatus.Delivered]);
      await sms.dataSource.query(`RENAME TABLE ${table} TO hidden`);
      const answer = await sms.request(`/webhook/api/getGSMreport.php?request_id=${id}`);
      expect([answer.status, answer.body]).toEqual([500, refusal(500, message)]);
    } finally {
      await sms.stop();
    }
  });
});
