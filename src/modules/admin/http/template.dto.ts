import { ApiProperty } from '@nestjs/swagger';
import { OptionalRevision, OptionalText, PageOf } from '../../../platform/http/index.js';
import type { ReviewedTemplate } from '../../templates/index.js';

/** Body of a decision about a template (reference/admin#templates). */
export class ReviewRequest {
  @OptionalText('reason', { example: 'The sample is not clear' })
  reason?: string | null;

  @OptionalRevision()
  revision?: number | null;
}

/** A template as staff see it. */
export class ReviewedTemplateAnswer implements ReviewedTemplate {
  @ApiProperty({ example: 12 })
  id!: number;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: 'spring_sale' })
  template_name!: string;

  @ApiProperty({ example: 3, description: '0 draft, 1 approved, 2 rejected, 3 pending review, 4 paused, 5 disabled' })
  status!: number;

  @ApiProperty({ example: 1, description: '1 marketing, 2 utility, 3 auth' })
  category!: number;

  @ApiProperty({ example: 14 })
  language!: number;

  @ApiProperty({ enum: ['media', 'text', 'none'], example: 'media' })
  header_area_type!: string;

  @ApiProperty({ example: 'Image' })
  header_media_type!: string;

  @ApiProperty({ example: 'Hi {{1}}, our sale ends on {{2}}.' })
  template_body!: string;

  @ApiProperty({ example: 'Reply STOP to opt out' })
  template_footer!: string;

  @ApiProperty({ example: '[]', description: 'JSON text' })
  quick_replies!: string;

  @ApiProperty({ example: '2026-11-21 09:30:00' })
  created_at!: string;

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

/** Answer of a move. */
export class MovedTemplateAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty()
  data!: ReviewedTemplateAnswer;
}
