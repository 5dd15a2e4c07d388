const SMPP_EXAMPLE = {
  channel: 'sms',
  driver: 'smpp',
  messages_per_second: 100,
  binds: 2,
  is_default: true,
  config: {
    host: 'smpp.carrier.example',
    port: 2775,
    system_id: 'switchboard',
    password: 'secret',
    window: 100,
    source_addr: 'Acme',
  },
};

const HTTP_EXAMPLE = {
  channel: 'sms',
  driver: 'http',
  config: {
    url: 'https://gateway.example/messages',
    method: 'POST',
    headers: { authorization: 'Bearer secret' },
    body: { to: '{{to}}', text: '{{text}}', media: '{{media_url}}', reference: '{{ref}}' },
    id_path: 'data.id',
    receipt: {
      id_path: 'id',
      status_path: 'status',
      status_map: { ok: 'delivered', lost: 'failed' },
      receiver_path: 'to',
    },
    inbound: { from_path: 'from', text_path: 'text' },
  },
};

const TWILIO_EXAMPLE = {
  channel: 'voice',
  driver: 'twilio',
  messages_per_second: 10,
  is_default: true,
  config: {
    account_sid: 'AC0123456789abcdef0123456789abcdef',
    auth_token: 'secret',
    base_url: 'https://api.twilio.com',
    from: '15551234567',
  },
};

/** A body for each driver of PUT /routes/:name. */
export const ROUTE_EXAMPLES = {
  smpp: { summary: 'SMPP', value: SMPP_EXAMPLE },
  http: { summary: 'HTTP gateway', value: HTTP_EXAMPLE },
  twilio: { summary: 'Programmable Voice; messages_per_second = calls per second', value: TWILIO_EXAMPLE },
};
