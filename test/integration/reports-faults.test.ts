import { describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { refusal, SmsDesk } from '../support/sms-desk.js';
import { storeCampaign } from '../support/stored-campaign.js';

describe('a report that the database refuses', () => {
  it.each([
    ['campaign_recipients', 'Failed to prepare delivery details query'],
    ['campaign_counters', 'Failed to prepare report query'],
    ['campaigns', 'Failed to prepare report query'],
  ])('without %s: %s', async (table, message) => {
    const desk = await SmsDesk.open();
    try {
      const member = await desk.join();
      const id = await storeCampaign(desk.dataSource, member, 3, [RecipientStatus.Delivered]);
      await desk.dataSource.query(`RENAME TABLE ${table} TO hidden`);
      const answer = await desk.request(`/webhook/api/getGSMreport.php?request_id=${id}`);
      expect([answer.status, answer.body]).toEqual([500, refusal(500, message)]);
    } finally {
      await desk.stop();
    }
  });
});
