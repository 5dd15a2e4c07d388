const ENVELOPE = { messaging_product: 'chat', recipient_type: 'individual', to: '919812345678' };

const example = (summary: string, type: string, part: unknown) => ({
  summary,
  value: { ...ENVELOPE, type, [type]: part },
});

/** One body of each type to try in Swagger UI. */
export const SESSION_EXAMPLES = {
  text: example('Text', 'text', { body: 'Hello from Switchboard', preview_url: false }),
  image: example('Image by link', 'image', { link: 'https://example.com/picture.jpg', caption: 'A picture' }),
  audio: example('Audio by id', 'audio', { id: '1013859600285441' }),
  video: example('Video', 'video', { link: 'https://example.com/clip.mp4', caption: 'A clip' }),
  document: example('Document', 'document', { link: 'https://example.com/invoice.pdf', filename: 'invoice.pdf' }),
  sticker: example('Sticker', 'sticker', { link: 'https://example.com/sticker.webp' }),
  location: example('Location', 'location', {
    latitude: 52.5163,
    longitude: 13.3777,
    name: 'Brandenburg Gate',
    address: 'Pariser Platz, Berlin',
  }),
  contacts: example('Contacts', 'contacts', [
    { name: { formatted_name: 'Ada Lovelace', first_name: 'Ada' }, phones: [{ phone: '+919812345679', type: 'WORK' }] },
  ]),
  interactive: example('Reply buttons', 'interactive', {
    type: 'button',
    body: { text: 'Shall we?' },
    action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
  }),
  reaction: example('Reaction', 'reaction', { message_id: 'wamid.HBgMOTE5ODEyMzQ1Njc4', emoji: '👍' }),
  template: {
    summary: 'Template: goes the way of chatTemplate and is answered 201',
    value: {
      ...ENVELOPE,
      type: 'template',
      template: {
        name: 'order_ready',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }],
      },
    },
  },
};
