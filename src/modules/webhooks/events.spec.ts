import { describe, expect, it } from 'vitest';
import { CUSTOMER_EVENT_TYPES, exampleOf, subjectOf, TYPES_WITH_EXAMPLE } from './events.js';

describe('examples of events', () => {
  it('are there for every type', () => {
    expect(TYPES_WITH_EXAMPLE).toEqual(expect.arrayContaining([...CUSTOMER_EVENT_TYPES]));
  });

  it.each(CUSTOMER_EVENT_TYPES)('name their type: %s', (type) => {
    expect(exampleOf(type)).toMatchObject({ event: type });
  });
});

const subject = (event: object): string => subjectOf(JSON.stringify(event));
const record = { event: 'gsm.status.update', providerMessageId: 'GSMCAMP_1', receiver: '4915100000001' };

describe('subjectOf', () => {
  it('is the same for the events of one recipient or template', () => {
    expect(subject({ ...record, status: 'SENT' })).toBe(subject({ ...record, status: 'DELIVERED', status_code: 0 }));
    const template = { event: 'template.status.update', template_id: 7 };
    expect(subject({ ...template, status: 3 })).toBe(subject({ ...template, status: 1 }));
  });

  it('is another for each message of one contact', () => {
    const message = { event: 'chat.message.received', from: '4915100000001' };
    expect(subject({ ...message, id: 'a' })).not.toBe(subject({ ...message, id: 'b' }));
  });

  it.each([
    { ...record, receiver: '4915100000002' },
    { ...record, providerMessageId: 'GSMCAMP_2' },
    { event: 'campaign.completed', request_id: 'GSMCAMP_1' },
    { event: 'campaign.completed', request_id: 'GSMCAMP_2' },
  ])('tells %j from the others', (other) => {
    expect(subject(other)).not.toBe(subject(record));
    expect(subject(other)).not.toBe(subject({ event: 'campaign.completed', request_id: 'GSMCAMP_3' }));
  });
});
