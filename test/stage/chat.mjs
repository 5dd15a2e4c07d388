const PHONE_NUMBER_ID = '106540352242922';
const NAME = 'bench';
const COMPONENTS = [{ type: 'body', parameters: [{ type: 'text', text: 'A-4711' }] }];

/** Connects the account `bench` to a chat upstream on this port, with an approved template and credits to send it. */
export async function benchChat(admin, client, port) {
  await admin.call('PUT', '/v6/api/admin/chat-accounts/bench', {
    provider: 'meta_cloud',
    url: `http://127.0.0.1:${port}/v21.0/${PHONE_NUMBER_ID}`,
    token: 'token-of-the-bench',
  });
  const { template_id: id } = await client.call('POST', '/webhook/api/createTemplates.php', {
    template_name: NAME,
    category: 'utility',
    template_body: 'Order {{1}} is ready',
  });
  await admin.call('POST', `/v6/api/admin/templates/${id}/approve`, {});
  const credits = { balance: 'chat_utility_credits', amount: 100_000_000 };
  await admin.call('POST', '/v6/api/admin/accounts/bench/credits', credits);
}

export const TEMPLATE_PATH = '/v6/api/chatTemplate/24/bench/messages';

/** A campaign to these numbers. */
export const templateCampaign = (to) =>
  JSON.stringify({
    messaging_product: 'chat',
    to,
    type: 'template',
    template: { name: NAME, language: { code: 'en_US' }, components: COMPONENTS },
  });

/** Path and body of one message as it leaves for the upstream. */
export const GRAPH_PATH = `/v21.0/${PHONE_NUMBER_ID}/messages`;
export const graphMessage = (to, ref) =>
  JSON.stringify({
    recipient_type: 'individual',
    type: 'template',
    template: { name: NAME, language: { code: 'en_US' }, components: COMPONENTS },
    messaging_product: 'whatsapp',
    to,
    biz_opaque_callback_data: ref,
  });
