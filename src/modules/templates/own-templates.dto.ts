import { ApiProperty } from '@nestjs/swagger';
import { AnswerOf, PageOf } from '../../platform/http/index.js';
import type { TemplateEntity } from './tables.js';
import { languageOf } from './template.js';
import { storedTemplateAnswer, TemplateAnswer, type TemplateOwner } from './templates.dto.js';

/** A template with all its content, and the reason of its review. */
export class OwnTemplateAnswer extends TemplateAnswer {
  @ApiProperty({ example: 'en', description: 'As the network spells it; also of a language that has no id' })
  language_code!: string;

  @ApiProperty({ example: '' })
  header_text!: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  header_example_url!: string | null;

  @ApiProperty({ type: [String], example: ['Jane', 'Sunday'] })
  body_examples!: string[];

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
  reason: row.reason,
});
