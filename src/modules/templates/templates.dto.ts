import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { dateTime } from '../../kernel/clock.js';
import { AnswerOf, LocalTime, OptionalRevision, OptionalText, PageOf } from '../../platform/http/index.js';
import type { Account } from '../accounts/index.js';
import { languageOf, LANGUAGES } from './languages.js';
import type { TemplateEntity } from './tables.js';
import { MOST } from './template-form.js';
import {
  CATEGORY_NUMBERS,
  categoryOf,
  STATUS_LABELS,
  type Template,
  type TemplateContent,
  TemplateStatus,
} from './template.js';
import { columnsOf } from './templates.store.js';

export class QuickReplyButton {
  @ApiProperty({ enum: ['QUICK_REPLY'], example: 'QUICK_REPLY' })
  type!: 'QUICK_REPLY';

  @ApiProperty({ example: 'Tell me more', description: 'At most 200 characters.' })
  text!: string;
}

export class LinkButtonData {
  @ApiProperty({ enum: ['URL', 'PHONE_NUMBER', 'COPY_CODE'], example: 'URL' }) type!: string;
  @ApiPropertyOptional({ maxLength: 25, example: 'Track it' }) text?: string;
  @ApiPropertyOptional({ maxLength: 2048, example: 'https://example.com/orders/{{1}}' }) url?: string;
  @ApiPropertyOptional({ example: '+4915112345678' }) phone_number?: string;
  @ApiPropertyOptional({ example: 'https://example.com/orders/7' }) example?: string;
}

/** Body of `createTemplates.php` for Swagger; `readTemplate` validates it. */
export class TemplateBody {
  @ApiProperty({ example: 'spring_sale', description: 'Unique per account, byte for byte; at most 512 characters.' })
  template_name!: string;

  @ApiProperty({ enum: ['marketing', 'utility', 'auth'], example: 'marketing' })
  category!: string;

  @ApiPropertyOptional({
    example: 1,
    default: 1,
    description: `An id, a short code or a name; 1 when omitted or invalid. A code without an id is kept. ${LANGUAGES.map(({ id, name }) => `${id} ${name}`).join(', ')}.`,
  })
  language?: number;

  @ApiPropertyOptional({ enum: ['media', 'text', 'none'], default: 'none', example: 'media' })
  header_area_type?: string;

  @ApiPropertyOptional({
    enum: ['Image', 'Document', 'Video'],
    example: 'Image',
    description: 'Required when header_area_type is media.',
  })
  header_media_type?: string;

  @ApiPropertyOptional({
    example: 'Hello {{1}}',
    description:
      'Of a text header: at most 60 characters with at most one {{1}}. Without it the header has no parameter.',
  })
  header_text?: string;

  @ApiPropertyOptional({
    example: 'https://example.com/sale.png',
    description: 'Sample of a media header for the reviewers (JPEG or PNG, PDF, MP4); otherwise a built-in one.',
  })
  header_example_url?: string;

  @ApiPropertyOptional({
    example: 'Hi {{1}}, our sale ends on {{2}}.',
    description: 'At most 4096 characters; placeholders {{1}}, {{2}} and so on.',
  })
  template_body?: string;

  @ApiPropertyOptional({
    type: [String],
    example: ['Jane', 'Sunday'],
    maxItems: MOST.examples,
    description:
      'Samples of the placeholders for the reviewers, ascending, of 200 characters at most; missing ones are made.',
  })
  body_examples?: string[];

  @ApiPropertyOptional({ example: 'Reply STOP to opt out', description: 'At most 4096 characters.' })
  template_footer?: string;

  @ApiPropertyOptional({ type: [QuickReplyButton], maxItems: MOST.buttons })
  quick_reply_buttons?: QuickReplyButton[];

  @ApiPropertyOptional({
    type: [LinkButtonData],
    description:
      'After the quick replies: at most 2 URL, 1 PHONE_NUMBER, 1 COPY_CODE. A `url` may end with `{{1}}`; such a button and a code to copy want a parameter with each send.',
  })
  buttons?: LinkButtonData[];
}

/** Body of PUT /v6/api/templates/:id; absent fields stay. */
export class TemplateChangesBody extends PartialType(TemplateBody) {}

const MINIMAL = {
  template_name: 'order_ready',
  category: 'utility',
  template_body: 'Hello {{1}}, your order is ready.',
};

export const TEMPLATE_EXAMPLES = {
  text: { summary: 'A body with a variable', value: MINIMAL },
  media: {
    summary: 'Picture, footer and buttons',
    value: {
      template_name: 'spring_sale',
      category: 'marketing',
      language: 14,
      header_area_type: 'media',
      header_media_type: 'Image',
      template_body: 'Hi {{1}}, our sale ends on {{2}}.',
      body_examples: ['Jane', 'Sunday'],
      template_footer: 'Reply STOP to opt out',
      quick_reply_buttons: [
        { type: 'QUICK_REPLY', text: 'Tell me more' },
        { type: 'QUICK_REPLY', text: 'Not now' },
      ],
    },
  },
  header: {
    summary: 'Text header with a variable',
    value: { ...MINIMAL, template_name: 'greeting', header_area_type: 'text', header_text: 'Hello {{1}}' },
  },
};

export class CreatedTemplateAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ enum: ['Template created successfully'], example: 'Template created successfully' })
  message!: 'Template created successfully';

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: 12 })
  template_id!: number;

  @ApiProperty({ example: 12 })
  template_controller_id!: number;

  @ApiProperty({
    type: 'integer',
    enum: [TemplateStatus.Pending],
    example: TemplateStatus.Pending,
    description: 'Pending review.',
  })
  status!: number;

  @ApiProperty({ enum: ['pending'], example: 'pending' })
  controller_status!: 'pending';

  @ApiProperty({ example: 1 })
  language_id!: number;

  @ApiProperty({ example: 'English (US)' })
  language!: string;
}

export const createdAnswer = (
  username: string,
  { language }: TemplateContent,
  { templateId, controllerId }: { templateId: number; controllerId: number },
): CreatedTemplateAnswer => ({
  success: true,
  message: 'Template created successfully',
  username,
  template_id: templateId,
  template_controller_id: controllerId,
  status: TemplateStatus.Pending,
  controller_status: 'pending',
  language_id: language.id,
  language: language.name,
});

/** A template (reference/templates#template-record). */
export class TemplateAnswer {
  @ApiProperty({ example: 12 })
  id!: number;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: 'spring_sale' })
  template_name!: string;

  @ApiProperty({
    type: 'integer',
    enum: [...STATUS_LABELS.keys()],
    example: TemplateStatus.Pending,
    description: `${STATUS_LABELS.map((label, status) => `${status} ${label}`).join(', ')}; only 1 sends.`,
  })
  status!: number;

  @ApiProperty({ type: 'integer', enum: [1, 2, 3], example: 1, description: '1 marketing, 2 utility, 3 auth.' })
  category!: number;

  @ApiProperty({ example: 14 })
  language!: number;

  @ApiProperty({ enum: ['media', 'text', 'none'], example: 'media' })
  header_area_type!: string;

  @ApiProperty({ example: 'Image', description: 'Image, Document, Video or empty.' })
  header_media_type!: string;

  @ApiProperty({ example: 'Hi {{1}}, our sale ends on {{2}}.' })
  template_body!: string;

  @ApiProperty({ example: 'Reply STOP to opt out' })
  template_footer!: string;

  @ApiProperty({ example: '[{"type":"QUICK_REPLY","text":"Tell me more"}]', description: 'JSON text.' })
  quick_replies!: string;

  @LocalTime()
  created_at!: string;
}

export type TemplateOwner = Pick<Account, 'username' | 'timeZone'>;
type Columns = Pick<TemplateEntity, keyof ReturnType<typeof columnsOf> | 'id' | 'status' | 'createdAt'>;

/** A template row as its owner sees it (reference/templates#template-record); passes stored JSON on unparsed. */
export const storedTemplateAnswer = (row: Columns, owner: TemplateOwner) =>
  ({
    id: row.id,
    username: owner.username,
    template_name: row.name,
    status: row.status,
    category: row.category,
    language: row.languageId,
    header_area_type: row.headerAreaType,
    header_media_type: row.headerMediaType,
    template_body: row.body,
    template_footer: row.footer,
    quick_replies: row.quickReplies,
    created_at: dateTime(row.createdAt, owner.timeZone),
  }) satisfies TemplateAnswer;

export const templateAnswer = (template: Template, owner: TemplateOwner): TemplateAnswer =>
  storedTemplateAnswer(
    { ...columnsOf(template), id: template.id, status: template.status, createdAt: template.createdAt },
    owner,
  );

export class ChangedTemplateAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Template updated successfully' })
  message!: 'Template updated successfully';

  @ApiProperty()
  data!: TemplateAnswer;
}

export class RemovedTemplateAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Template deleted successfully' })
  message!: 'Template deleted successfully';
}

/** Body of a review (reference/admin#templates). */
export class ReviewRequest {
  @OptionalText('reason', { example: 'The sample is not clear' })
  reason?: string | null;

  @OptionalRevision()
  revision?: number | null;
}

export interface ReviewedTemplate extends TemplateAnswer {
  language_code: string;
  header_text: string;
  header_example_url: string | null;
  body_examples: string[];
  buttons: LinkButtonData[];
  previous_category: string | null;
  category_changed_at: string | null;
  upcoming_category: string | null;
  reason: string | null;
  revision: number;
  template_controller_id: number;
  controller_type: string;
  controller_status: string;
  upstream_id: string | null;
}

const CATEGORY_WORD = {
  enum: [...Object.keys(CATEGORY_NUMBERS), null],
  type: String,
  nullable: true,
  example: null,
} as const;

/** A template with all its content. */
class TemplateContentAnswer extends TemplateAnswer {
  @ApiProperty({ example: 'en', description: 'As the network spells it; also of a language that has no id' })
  language_code!: string;

  @ApiProperty({ example: '' })
  header_text!: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  header_example_url!: string | null;

  @ApiProperty({ type: [String], example: ['Jane', 'Sunday'] })
  body_examples!: string[];

  @ApiProperty({ type: [LinkButtonData], description: 'Buttons after the quick replies' })
  buttons!: LinkButtonData[];

  @ApiProperty({ ...CATEGORY_WORD, description: 'Until the provider changed it; null = it has not' })
  previous_category!: string | null;

  @LocalTime({ nullable: true, description: 'When the provider changed the category' })
  category_changed_at!: string | null;

  @ApiProperty({ ...CATEGORY_WORD, description: 'Announced by the provider; null = none' })
  upcoming_category!: string | null;
}

const wordOf = (number: number | null): string | null => (number === null ? null : categoryOf(number));

/** Buttons of a template, and what the provider has changed of its category. */
export const buttonsAndCategory = (row: TemplateEntity, timeZone: string) => ({
  buttons: row.buttons === null ? [] : (JSON.parse(row.buttons) as LinkButtonData[]),
  previous_category: wordOf(row.previousCategory),
  category_changed_at: row.categoryChangedAt && dateTime(row.categoryChangedAt, timeZone),
  upcoming_category: wordOf(row.upcomingCategory),
});

export class ReviewedTemplateAnswer extends TemplateContentAnswer implements ReviewedTemplate {
  @ApiProperty({ type: String, nullable: true, example: null, description: 'Of the last move' })
  reason!: string | null;

  @ApiProperty({ example: 1, description: 'One more with each change of the owner; a verdict names it' })
  revision!: number;

  @ApiProperty({ example: 12 })
  template_controller_id!: number;

  @ApiProperty({ enum: ['custom', 'customutility', 'customauth'], example: 'custom' })
  controller_type!: string;

  @ApiProperty({ enum: ['pending', 'approved', 'rejected'], example: 'pending' })
  controller_status!: string;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'The provider’s id' })
  upstream_id!: string | null;
}

export class ReviewedTemplatePageAnswer extends PageOf(ReviewedTemplateAnswer) {}

export class MovedTemplateAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty()
  data!: ReviewedTemplateAnswer;
}

/** With the reason of its review. */
export class OwnTemplateAnswer extends TemplateContentAnswer {
  @ApiProperty({ type: String, nullable: true, example: null, description: 'Why it was rejected, paused or disabled' })
  reason!: string | null;
}

export class OwnTemplatePageAnswer extends PageOf(OwnTemplateAnswer) {}

export class OneTemplateAnswer extends AnswerOf(OwnTemplateAnswer) {}

export const ownTemplateAnswer = (row: TemplateEntity, owner: TemplateOwner): OwnTemplateAnswer => ({
  ...storedTemplateAnswer(row, owner),
  language_code: languageOf(row.languageId, row.languageCode).code,
  header_text: row.headerText,
  header_example_url: row.headerExampleUrl,
  body_examples: JSON.parse(row.bodyExamples) as string[],
  ...buttonsAndCategory(row, owner.timeZone),
  reason: row.reason,
});
