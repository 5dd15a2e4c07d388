import { Query } from '@nestjs/cqrs';

/** One template of `templates.php` (spec 2.1), in its order. */
export interface TemplateRecord {
  id: number;
  username: string;
  template_name: string;
  status: number;
  category: number;
  language: number;
  header_area_type: string;
  header_media_type: string;
  template_body: string;
  template_footer: string;
  /** JSON text: an array of { type, text } */
  quick_replies: string;
  /** YYYY-MM-DD HH:MM:SS in the owner's time zone */
  created_at: string;
}

/**
 * All templates of a username, ascending by id, in batches of bounded size; that there are none comes out of the iteration.
 * @throws AppError not_found `Template not found for this username`: none, no such account, or one that demands its own
 * token (decisions §4)
 */
export class ListAccountTemplatesQuery extends Query<AsyncIterable<TemplateRecord[]>> {
  /** @param viewerId the account whose token the request carries; null = none */
  constructor(
    readonly username: string,
    readonly viewerId: number | null,
  ) {
    super();
  }
}
