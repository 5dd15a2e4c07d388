import { ApiProperty } from '@nestjs/swagger';
import { OptionalRevision, OptionalText, PageOf } from '../../../platform/http/index.js';
import { type ReviewedTemplate, TemplateAnswer } from '../../templates/index.js';

/** Body of a decision about a template (reference/admin#templates). */
export class ReviewRequest {
  @OptionalText('reason', { example: 'The sample is not clear' })
  reason?: string | null;

  @OptionalRevision()
  revision?: number | null;
}

/** A template as staff see it: what its owner sees, and what is reviewed. */
export class ReviewedTemplateAnswer extends TemplateAnswer implements ReviewedTemplate {
  @ApiProperty({ example: 'en', description: 'As the network spells it; also of a language that has no id' })
  language_code!: string;

  @ApiProperty({ example: '' })
  header_text!: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  header_example_url!: string | null;

  @ApiProperty({ type: [String], example: ['Jane', 'Sunday'] })
  body_examples!: string[];

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

  @ApiProperty({ type: String, nullable: true, example: null, description: 'The upstream’s id' })
  upstream_id!: string | null;
}

/** A page of templates. */
export class ReviewedTemplatePageAnswer extends PageOf(ReviewedTemplateAnswer) {}

/** Answer of a move, and of a look at one. */
export class MovedTemplateAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty()
  data!: ReviewedTemplateAnswer;
}
