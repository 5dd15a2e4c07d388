/** Session messages of every type (reference/session-messages#chat), as clients write them. */
export const SESSION_BODIES: Readonly<Record<string, Record<string, unknown>>> = {
  text: { type: 'text', text: { body: 'See https://a.example', preview_url: true } },
  'text from a number': { type: 'text', text: { body: 2026 } },
  reply: { type: 'text', text: { body: 'Yes' }, context: { message_id: 'wamid.before' } },
  'image by link': { type: 'image', image: { link: 'https://a.example/a.png', caption: 'A picture' } },
  'image by id, and a link that does not count': { type: 'image', image: { id: 1479537139650973, link: 'x' } },
  audio: { type: 'audio', audio: { link: 'https://a.example/a.mp3' } },
  video: { type: 'video', video: { id: '1166846181421424', caption: 'A film' } },
  document: {
    type: 'document',
    document: { link: 'https://a.example/a.pdf', caption: 'The bill', filename: 'bill.pdf' },
  },
  sticker: { type: 'sticker', sticker: { id: '798882015472548' } },
  location: {
    type: 'location',
    location: { latitude: '37.44216', longitude: -122.16153, name: 'Office', address: '1 Main Street' },
  },
  contacts: {
    type: 'contacts',
    contacts: [
      {
        name: { formatted_name: 'Ann Lee', first_name: 'Ann', last_name: 'Lee' },
        phones: [{ phone: '+16505551234', type: 'WORK', wa_id: '16505551234' }],
        emails: [{ email: 'ann@a.example', type: 'WORK' }],
        org: { company: 'A', department: 'B', title: 'C' },
        urls: [{ url: 'https://a.example', type: 'WORK' }],
        addresses: [{ street: '1 Main Street', city: 'Menlo Park', country: 'United States', type: 'HOME' }],
        birthday: '1999-01-23',
      },
    ],
  },
  'interactive buttons': {
    type: 'interactive',
    interactive: {
      type: 'button',
      header: { type: 'image', image: { link: 'https://a.example/a.png' } },
      body: { text: 'Choose' },
      footer: { text: 'Any time' },
      action: {
        buttons: [
          { type: 'reply', reply: { id: '1', title: 'Yes' } },
          { type: 'reply', reply: { id: '2', title: 'No' } },
        ],
      },
    },
  },
  'interactive list': {
    type: 'interactive',
    interactive: {
      type: 'list',
      header: { type: 'text', text: 'Menu' },
      body: { text: 'Choose' },
      action: {
        button: 'Open',
        sections: [{ title: 'Bread', rows: [{ id: 'r', title: 'Rye', description: 'dark' }] }],
      },
    },
  },
  'interactive url': {
    type: 'interactive',
    interactive: {
      type: 'cta_url',
      body: { text: 'Look' },
      action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://a.example/offer' } },
    },
  },
  reaction: { type: 'reaction', reaction: { message_id: 'wamid.before', emoji: '👍' } },
};

const say = { broadcast_message: 'Hello' };

/** Legacy session messages of every shape (reference/session-messages#v5-paths). */
export const V5_BODIES: Readonly<Record<string, Record<string, unknown>>> = {
  text: { ...say, footer: 'Any time' },
  image: { ...say, uploaded_image1: 'https://a.example/a.png', footer: 'Any time' },
  list: { ...say, list: '2', button_name: 'Menu', section_name: 'Bread', id1: 'a', title1: 'A', id2: 'b', title2: 'B' },
  'list without section': { ...say, list: '1', button_name: 'Menu', id1: 'a', title1: 'A', footer: 'Any time' },
  replies: { ...say, buttons: '3', button1_value: 'A', button2_value: 'B', button3_value: 'C', footer: 'Any time' },
  call: { ...say, call_title: 'Call us', call_number: '15550001111' },
  'url and call': {
    ...say,
    buttons: '2',
    call_title: 'Call us',
    call_number: '15550001111',
    url_title: 'Visit',
    url_value: 'https://a.example/offer',
    footer: 'Any time',
  },
};

const link = (name: string) => ({ link: `https://a.example/${name}` });
const component = (type: string, ...parameters: unknown[]) => ({ type, parameters });
const text = (value: string) => ({ type: 'text', text: value });

/** Components of template messages, one list for each shape (reference/template-messages#parameters). */
export const TEMPLATE_COMPONENTS: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  none: [],
  body: [component('body', text('Ann'), text('12'))],
  'text header': [component('header', text('Ann')), component('body', text('12'))],
  'image header': [component('header', { type: 'image', image: link('a.png') })],
  'document header': [component('header', { type: 'document', document: { ...link('a.pdf'), filename: 'a.pdf' } })],
  'video header': [component('header', { type: 'video', video: { id: '1166846181421424' } })],
  money: [
    component('body', {
      type: 'currency',
      currency: { fallback_value: '$100.99', code: 'USD', amount_1000: 100_990 },
    }),
  ],
  'quick replies': [
    { ...component('button', { type: 'payload', payload: 'yes' }), sub_type: 'quick_reply', index: '0' },
    { ...component('button', { type: 'payload', payload: 'no' }), sub_type: 'quick_reply', index: '1' },
  ],
  'url button': [{ ...component('button', text('order/12')), sub_type: 'url', index: '0' }],
};
