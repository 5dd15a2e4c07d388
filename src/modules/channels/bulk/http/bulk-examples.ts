const recipients = [
  { to: '919812345678', variables: { name: 'Asha', code: 'A1B2' } },
  { to: '919812345679', variables: { code: 'C3D4' } },
];

/** Bodies to try, one of each channel and of each kind of recipients. */
export const BULK_EXAMPLES = {
  sms: {
    summary: 'SMS, a text of its own for each',
    value: {
      channel: 'sms',
      broadcast_name: 'Codes',
      message: 'Hi {{name|there}}, your code is {{code}}.',
      recipients,
    },
  },
  plain: {
    summary: 'SMS, the same text for all',
    value: {
      channel: 'sms',
      broadcast_name: 'Spring sale',
      message: 'Hello from Switchboard',
      contacts: ['919812345678', '919812345679'],
      route: 'sandbox',
    },
  },
  unofficial: {
    summary: 'Unofficial chat with an image',
    value: {
      channel: 'unofficial',
      broadcast_name: 'Spring sale',
      message: 'Hi {{name|there}}!',
      img1: 'https://files.example.com/offer.jpg',
      recipients,
    },
  },
  template: {
    summary: 'A template, its variables by position',
    value: {
      channel: 'template',
      broadcast_name: 'Orders',
      template: 'order_ready',
      recipients: [{ to: '919812345678', variables: { '1': 'Asha' } }],
    },
  },
  branded: {
    summary: 'A branded template, its variables by name',
    value: {
      channel: 'branded',
      broadcast_name: 'Orders',
      template: {
        name: 'order_ready',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: '{{name|there}}' }] }],
      },
      recipients,
    },
  },
};
