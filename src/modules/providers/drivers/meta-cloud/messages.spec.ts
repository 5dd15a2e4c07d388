import { describe, expect, it } from 'vitest';
import { type GraphMessage, MessageBodies, messageCall } from './messages.js';

const template = { type: 'template', template: { name: 'order', language: { code: 'en_US' } } };

describe('the body of a message', () => {
  it.each<GraphMessage>([
    { to: '4915100000001', payload: template, ref: '7-1' },
    { to: '4915100000001', payload: template },
    { to: '4915100000001', payload: { type: 'text', text: { body: 'quotes " \\ and 😀' } }, ref: 'a "strange" one' },
    // What a client says of product, recipient and reference does not count.
    {
      to: '4915100000001',
      payload: { ...template, to: '1', messaging_product: 'chat', biz_opaque_callback_data: 'mine' },
      ref: '7-1',
    },
    { to: '4915100000001', payload: { ...template, to: '1', recipient_type: 'group', biz_opaque_callback_data: 'x' } },
  ])('%j is the same whether written for one or for many', (message) => {
    const bodies = new MessageBodies();
    const { json } = messageCall('106540352242922', message);
    expect(JSON.parse(bodies.of(message))).toEqual(json);
    expect(json).toMatchObject({ messaging_product: 'whatsapp', to: '4915100000001' });
    expect(json?.['biz_opaque_callback_data']).toBe(message.ref);
    const other = { ...message, to: '4915100000002', ref: '7-2' };
    expect(JSON.parse(bodies.of(other))).toEqual({ ...json, to: other.to, biz_opaque_callback_data: '7-2' });
  });
});
