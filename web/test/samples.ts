import type { Client } from '../../test/support/client.js';
import type { Role } from './support/browser.js';

/** What a sample is made with: the API as the role that will look, and as each of the three. */
export interface Maker {
  role: Role;
  client: Client;
  clients: Readonly<Record<Role, Client>>;
}

type Sample = (maker: Maker) => Promise<Readonly<Record<string, string>>>;

/** @throws Error with what the API said, where it said no */
async function made(client: Client, path: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await client.call('POST', path, body);
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return { ...answer.body, ...((answer.body['data'] as Record<string, unknown> | undefined) ?? {}) };
}

/**
 * Values for the `$parameters` of pages, by the page's path: made once a role, before its walk comes to the page. A
 * feature adds its own here, and may leave other things in sight.
 */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  '/templates/$id': async ({ client }) => {
    const fields = {
      template_name: 'order_ready',
      category: 'utility',
      template_body: 'Hello {{1}}',
      body_examples: ['Jane'],
    };
    return { id: String((await made(client, '/webhook/api/createTemplates.php', fields))['template_id']) };
  },
  '/lists/$id': async ({ client }) => {
    const id = String((await made(client, '/v6/api/lists', { name: 'Customers' }))['list_id']);
    await made(client, `/v6/api/lists/${id}/members`, {
      members: [{ to: '919812345678', variables: { name: 'Asha' } }],
    });
    return { id };
  },
  '/uploads/$id': async ({ client }) => {
    const answer = await fetch(`${client.url}/v6/api/uploads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'text/csv' },
      body: 'phone,name\n919812345678,Asha\n919812345679,Ben\n',
    });
    const { data } = (await answer.json()) as { data: { upload_id: number } };
    return { id: String(data.upload_id) };
  },
  '/campaigns/$id': async ({ role, client, clients: { owner, staff } }) => {
    // one that waits at the voice desk, for its page
    await made(owner, '/v6/api/v1/voice/send', {
      broadcast_name: 'Survey',
      message: 'Press 1 to talk to us.',
      contacts: ['919811100020'],
      dtmf_flow: { rows: [{ digit: '1', action: 'transfer', number: '4930123456' }] },
    });
    const sender = role === 'reseller' ? client : owner;
    await made(staff, `/v6/api/admin/accounts/${sender.username}/credits`, { balance: 'gsm_credits', amount: 10 });
    return { id: await sender.broadcast(['919811100021', '919811100404'], { broadcast_name: 'Autumn offer' }) };
  },
  '/messages/$id': async ({ client, clients: { staff } }) => {
    await made(staff, `/v6/api/admin/accounts/${client.username}/credits`, { balance: 'gsm_credits', amount: 10 });
    const body = { channel: 'sms', to: '+919811100040', text: 'Your parcel is here.', route: 'sandbox' };
    const message = await made(client, '/v6/api/messages', {
      ...body,
      client_ref: `order-${String(Date.now())}`,
      metadata: { order: 1042 },
    });
    return { id: String(message['id']) };
  },
  '/session-messages/$id': async ({ clients: { owner } }) => {
    const body = { messaging_product: 'chat', to: '919811100030', type: 'text', text: { body: 'Hello' } };
    await made(owner, '/v6/api/chat/24/demo/messages', body);
    const { body: found } = await owner.call('GET', '/v6/api/session-messages?limit=1');
    return { id: String((found['data'] as { id: number }[])[0]?.id) };
  },
  '/routes/$name': () => Promise.resolve({ name: 'sandbox' }),
  '/routing/$name': async ({ clients: { staff } }) => {
    const rules = [{ prefixes: ['99900'], routes: ['sandbox', 'sandbox-http'] }];
    await staff.call('PUT', '/v6/api/admin/routing/sample', { channel: 'sms', rules });
    return { name: 'sample' };
  },
  '/accounts/$username': async ({ clients: { reseller } }) => {
    const client = { username: 'web.client', password: 'Sunny-Day-7!', firstname: 'Carl', lastname: 'Client' };
    await reseller.call('POST', '/v6/api/admin/accounts', client); // it is there already for the next role
    return { username: client.username };
  },
  '/rates/$plan': async ({ clients: { staff } }) => {
    const rates = [{ channel: 'sms', prefix: '91', credits_per_segment: 2 }];
    await staff.call('PUT', '/v6/api/admin/rates/wholesale', rates);
    return { plan: 'wholesale' };
  },
  '/webhooks/$id': ({ clients: { owner } }) => webhook(owner),
  '/account/webhooks/$id': ({ client }) => webhook(client),
};

async function webhook(client: Client): Promise<{ id: string }> {
  const body = { url: 'http://127.0.0.1:9/hook', events: ['campaign.completed'] };
  return { id: String((await made(client, '/v6/api/webhooks', body))['id']) };
}
