const ENVELOPE = { brodcast_service: 'chat_credits', template_id: 'session_message', contacts: '919812345678' };

/** One body of each kind to try in Swagger UI. */
export const V5_EXAMPLES = {
  text: { summary: 'Text', value: { ...ENVELOPE, broadcast_message: 'Hello from Switchboard' } },
  image: {
    summary: 'Image with a caption',
    value: {
      ...ENVELOPE,
      broadcast_name: 'Spring sale',
      broadcast_message: 'New in spring',
      uploaded_image1: 'https://example.com/picture.jpg',
      footer: 'Switchboard',
    },
  },
  list: {
    summary: 'List',
    value: {
      ...ENVELOPE,
      broadcast_message: 'What would you like?',
      list: '2',
      button_name: 'Menu',
      section_name: 'Drinks',
      id1: 'tea',
      title1: 'Tea',
      id2: 'coffee',
      title2: 'Coffee',
    },
  },
  buttons: {
    summary: 'Reply buttons',
    value: {
      ...ENVELOPE,
      broadcast_message: 'Shall we?',
      buttons: '2',
      button1_value: 'Yes',
      button2_value: 'No',
      button3_value: '',
    },
  },
  actions: {
    summary: 'Call and URL buttons',
    value: {
      ...ENVELOPE,
      broadcast_message: 'We are here for you.',
      buttons: '2',
      call_title: 'Call us',
      call_number: '919812345679',
      url_title: 'Visit us',
      url_value: 'https://example.com',
    },
  },
  scheduled: {
    summary: 'Text at half past nine',
    value: { ...ENVELOPE, broadcast_message: 'Good morning', schedule_time: '09:30:00' },
  },
};
