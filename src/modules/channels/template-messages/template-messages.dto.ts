import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LATE, LATE_AFTER, SCHEDULE_TIME } from '../../../platform/http/index.js';
import type { QueuedTemplateSend } from './template-queue.js';

class TemplateLanguage {
  @ApiProperty({
    description: 'Short code, name or id of the language; case, - and _ do not count. Must be the approved one.',
    example: 'en_US',
  })
  code!: string;
}

class TemplateReference {
  @ApiProperty({ description: 'Exact name of an approved template of the account.', example: 'order_ready' })
  name!: string;

  @ApiProperty({ type: TemplateLanguage })
  language!: TemplateLanguage;

  @ApiPropertyOptional({
    description:
      'Values of variables, media header and buttons, the same for every recipient. Body and header must bring as many parameters as the approved template has placeholders.',
    type: 'array',
    items: { type: 'object' },
    example: [{ type: 'body', parameters: [{ type: 'text', text: 'Jane' }] }],
  })
  components?: Record<string, unknown>[];
}

class TemplateSendBody {
  @ApiProperty({ enum: ['chat'], example: 'chat' })
  messaging_product!: 'chat';

  @ApiProperty({ enum: ['template'], example: 'template' })
  type!: 'template';

  @ApiProperty({ type: TemplateReference })
  template!: TemplateReference;

  @ApiPropertyOptional(SCHEDULE_TIME)
  schedule_time?: string;

  @ApiPropertyOptional(LATE)
  late?: 'send' | 'expire' | 'hold';

  @ApiPropertyOptional(LATE_AFTER)
  late_after_s?: number;

  @ApiPropertyOptional({
    example: true,
    description: 'Replace line breaks, tabs and more than four blanks in texts of parameters by one blank.',
  })
  flatten?: boolean;
}

/** Body of chatTemplate, for Swagger; `readTemplateRequest` validates it. */
export class TemplateMessageBody extends TemplateSendBody {
  @ApiProperty({
    description: 'One number sends one message; an array of up to 30,000 sends a campaign. 8 to 20 digits each.',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 30_000 }],
    example: '919812345678',
  })
  to!: string | string[];
}

export class BrandedCampaignBody extends TemplateSendBody {
  @ApiProperty({
    description: 'What has not 8 to 20 digits after cleanup is left out; `warnings` says so.',
    type: [String],
    example: ['919812345678', '919812345679'],
  })
  to!: string[];
}

const text = (value: string): Record<string, string> => ({ type: 'text', text: value });
const sample = (to: string | string[], template: Record<string, unknown>): Record<string, unknown> => ({
  messaging_product: 'chat',
  to,
  type: 'template',
  template,
});
const ORDER_READY = {
  name: 'order_ready',
  language: { code: 'en_US' },
  components: [{ type: 'body', parameters: [text('Jane')] }],
};
const SPRING_SALE = {
  name: 'spring_sale',
  language: { code: 'en' },
  components: [
    { type: 'header', parameters: [{ type: 'image', image: { link: 'https://files.example.com/offer.jpg' } }] },
    { type: 'body', parameters: [text('Jane'), text('Sunday')] },
    { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'more' }] },
  ],
};
const MANY = ['919812345678', '919812345679'];

export const BRANDED_EXAMPLES = {
  variable: { summary: 'A campaign with a variable', value: sample(MANY, ORDER_READY) },
  media: { summary: 'With an image, variables and a button', value: sample(MANY, SPRING_SALE) },
};

export const TEMPLATE_EXAMPLES = {
  single: { summary: 'One message with a variable', value: sample('919812345678', ORDER_READY) },
  ...BRANDED_EXAMPLES,
};

/** Answer of a template send (reference/template-messages#answers). */
export class TemplateSendAnswer implements QueuedTemplateSend {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Template campaign queued successfully' })
  message!: string;

  @ApiProperty({ example: '6f1c9e1e-7a43-4f0e-9d0b-0a8c54c7f0a1' })
  request_id!: string;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: 'order_ready' })
  template_name!: string;

  @ApiProperty({ enum: ['marketing', 'utility', 'auth'] })
  category!: QueuedTemplateSend['category'];

  @ApiPropertyOptional({ description: 'Recipients accepted; absent for a single message.', example: 2 })
  contacts?: number;
}

/** Answer of a branded campaign (reference/template-messages#answers). */
export class BrandedCampaignAnswer extends TemplateSendAnswer {
  @ApiProperty({ example: 'WCAMP_20260501_A1B2C3D4' })
  declare request_id: string;

  @ApiProperty({ description: 'Valid recipients accepted.', type: Number, example: 2 })
  declare contacts?: number;
}
