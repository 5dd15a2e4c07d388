import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { QueuedTemplateSend } from '../template-queue.js';

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
    example: [{ type: 'body', parameters: [{ type: 'text', text: 'A-4711' }] }],
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

  @ApiPropertyOptional({
    description: 'YYYY-MM-DD HH:MM:SS in the time zone of the account, or ISO 8601.',
    example: '2030-01-31 09:30:00',
  })
  schedule_time?: string;
}

/** Body of chatTemplate for Swagger; `readTemplateRequest` reads and judges it. */
export class TemplateMessageBody extends TemplateSendBody {
  @ApiProperty({
    description: 'One number sends one message; an array of up to 30,000 sends a campaign. 8 to 20 digits each.',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 30_000 }],
    example: '919812345678',
  })
  to!: string | string[];
}

/** Body of chatBranded for Swagger. */
export class BrandedCampaignBody extends TemplateSendBody {
  @ApiProperty({
    description: 'What has not 8 to 20 digits after cleanup is dropped silently.',
    type: [String],
    example: ['919812345678', '919812345679'],
  })
  to!: string[];
}

const text = (value: string): Record<string, string> => ({ type: 'text', text: value });
const sample = (to: string | string[], components?: Record<string, unknown>[]): Record<string, unknown> => ({
  messaging_product: 'chat',
  to,
  type: 'template',
  template: { name: 'order_ready', language: { code: 'en_US' }, ...(components && { components }) },
});
const MANY = ['919812345678', '919812345679'];
const IMAGE = { type: 'image', image: { link: 'https://files.example.com/offer.jpg' } };

/** Bodies to try in Swagger UI. */
export const BRANDED_EXAMPLES = {
  plain: { summary: 'Without variables', value: sample(MANY) },
  variables: {
    summary: 'With an image and variables',
    value: sample(MANY, [
      { type: 'header', parameters: [IMAGE] },
      { type: 'body', parameters: [text('A-4711')] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [text('A-4711')] },
    ]),
  },
};

export const TEMPLATE_EXAMPLES = {
  single: {
    summary: 'One message with a variable',
    value: sample('919812345678', [{ type: 'body', parameters: [text('A-4711')] }]),
  },
  ...BRANDED_EXAMPLES,
};

/** Answer of a template send (spec 4.6). */
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
