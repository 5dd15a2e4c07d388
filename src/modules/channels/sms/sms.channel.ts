import { type Channel, RecipientStatus } from '../../engine/index.js';

/**
 * SMS as the engine knows it: the words of reference/engine#recipient-statuses. What may have left and is not yet
 * settled counts as still processing, so it shows PP1; carriers do not report reading, so Read only completes the
 * table.
 */
export const smsChannel: Channel = {
  name: 'sms',
  event: 'gsm.status.update',
  campaignStatus: { accepted: 'PP1', sending: 'PP1' },
  statusLabels: {
    [RecipientStatus.Pending]: 'PP1',
    [RecipientStatus.Unknown]: 'PP1',
    [RecipientStatus.Submitted]: 'SENT',
    [RecipientStatus.Retrying]: 'SENT',
    [RecipientStatus.Delivered]: 'DELIVERED',
    [RecipientStatus.Read]: 'DELIVERED',
    [RecipientStatus.Failed]: 'FAILED',
    [RecipientStatus.Cancelled]: 'CANCELLED',
    [RecipientStatus.Answered]: 'DELIVERED',
    [RecipientStatus.NoAnswer]: 'FAILED',
    [RecipientStatus.Busy]: 'FAILED',
  },
  compose: (content) => ({ text: String(content['message']) }),
};
