import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const MOST_OPTIONS = 10;

export class V5SessionBody {
  @ApiPropertyOptional({ enum: ['chat_credits'], example: 'chat_credits' })
  brodcast_service?: 'chat_credits';

  @ApiPropertyOptional({ description: 'A label.', example: 'Spring sale' })
  broadcast_name?: string;

  @ApiPropertyOptional({ example: 'session_message' })
  template_id?: string;

  @ApiPropertyOptional({ description: 'The text, or the caption of the image.', example: 'Hello' })
  broadcast_message?: string;

  @ApiPropertyOptional({ description: 'One number with country code, 8 to 20 digits.', example: '919812345678' })
  contacts?: string;

  @ApiPropertyOptional({
    description: 'In place of `contacts`: user id of a contact that shows no number.',
    example: 'US.13491208655302741918',
  })
  recipient?: string;

  @ApiPropertyOptional({
    pattern: String.raw`^\d{2}:\d{2}:\d{2}$`,
    description: 'HH:MM:SS in the time zone of the account: its next occurrence.',
    example: '09:30:00',
  })
  schedule_time?: string;

  @ApiPropertyOptional({ description: 'Number of options of a list message, 1 to 10.', example: '2' })
  list?: string;

  @ApiPropertyOptional({ description: 'Opens the list; at most 20 characters.', example: 'Menu' })
  button_name?: string;

  @ApiPropertyOptional({ example: 'Drinks' })
  section_name?: string;

  @ApiPropertyOptional({ description: 'Of the first option; each at most 20 characters.', example: 'tea' })
  id1?: string;

  @ApiPropertyOptional({ description: 'Of the first option; each at most 20 characters.', example: 'Tea' })
  title1?: string;

  @ApiPropertyOptional({ description: 'Number of reply buttons (1 to 3), or of call and URL buttons.', example: '2' })
  buttons?: string;

  @ApiPropertyOptional({ description: '`button1_value` to `button3_value`; each at most 20 characters.' })
  button1_value?: string;

  @ApiPropertyOptional()
  button2_value?: string;

  @ApiPropertyOptional()
  button3_value?: string;

  @ApiPropertyOptional({ description: 'Call button: becomes a line of the text, `title: +number`.' })
  call_title?: string;

  @ApiPropertyOptional()
  call_number?: string;

  @ApiPropertyOptional({ description: 'URL button; at most 20 characters.' })
  url_title?: string;

  @ApiPropertyOptional()
  url_value?: string;

  @ApiPropertyOptional({ description: 'http(s) URL of an image.' })
  uploaded_image1?: string;

  @ApiPropertyOptional({ description: '1 marks a text message.' })
  attribute2?: string;

  @ApiPropertyOptional({ description: 'Footer; on plain texts and captions the last line.' })
  footer?: string;
}

for (let option = 2; option <= MOST_OPTIONS; option++)
  for (const field of ['id', 'title'])
    ApiPropertyOptional({ type: String, maxLength: 20 })(V5SessionBody.prototype, `${field}${option}`);

export class V5SessionAnswer {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status!: 'ok';

  @ApiProperty({ enum: ['ok'], example: 'ok' })
  textsent!: 'ok';

  @ApiProperty({
    description: 'JSON text of `{ contacts, messages, meta }`.',
    example:
      '{"contacts":[{"input":"919812345678","wa_id":"919812345678"}],"messages":[{"id":"wamid.HBgM"}],"meta":{"api_status":"stable","version":"v21.0"}}',
  })
  message!: string;
}

const ENVELOPE = { brodcast_service: 'chat_credits', template_id: 'session_message', contacts: '919812345678' };

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
