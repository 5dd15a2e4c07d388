import { Query } from '@nestjs/cqrs';
import type { TemplateStatus } from '../domain/template-status.js';
import type { TemplateRecord } from './list-account-templates.query.js';

/** A template as the desk sees it. */
export interface ReviewedTemplate extends TemplateRecord {
  header_text: string;
  header_example_url: string | null;
  body_examples: string[];
  reason: string | null;
  /** 1 at first, one more with each change of the owner's */
  revision: number;
  template_controller_id: number;
  /** custom, customutility or customauth */
  controller_type: string;
  controller_status: string;
  /** the upstream's id once it was submitted there */
  upstream_id: string | null;
}

/** Templates in batches of bounded size. */
export interface ReviewPage {
  templates: AsyncIterable<ReviewedTemplate[]>;
  total: number;
}

/** Templates of all accounts, the newest first, or one of them. */
export class ReviewTemplatesQuery extends Query<ReviewPage> {
  /** @param wanted null = of every status; times in the desk's `timeZone` */
  constructor(
    readonly wanted: { status: TemplateStatus } | { id: number } | null,
    readonly timeZone: string,
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}
